/*
 * time_grid.c
 *		Giving answers out at multiples of a time only, so that how long they took
 *		tells less of how many people they are about.
 */
#include "answer/answer.h"

#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/wait_event.h"

void
wait_for_time_grid(const Stopwatch *begun_at, int grid)
{
	double		passed = stopwatch_seconds(begun_at) * 1000.0;
	double		until;

	if (grid == 0)
		return;
	until = ((int64) (passed / grid) + 1) * (double) grid;
	while ((passed = stopwatch_seconds(begun_at) * 1000.0) < until)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) (until - passed) + 1, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

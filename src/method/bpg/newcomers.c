/*
 * newcomers.c
 *		Classes of people who were never published.
 *
 * NOTES
 *		Newcomers of several releases who wait for each other are laid out better
 *		than those of each alone, since no class ever has people of both.
 */
#include "postgres.h"

#include "method/bpg/bpg.h"
#include "miscadmin.h"
#include "shared/progress.h"

/* Only the number of a release decides, so that those who wait tell nothing. */
static bool
wait_for_more(const Bpg *bpg)
{
	return bpg->past->releases % bpg->gather != 0;
}

void
draft_newcomers(Bpg *bpg)
{
	const Frame *frame = bpg->frame;
	uint64		n = 0;

	bpg->n = NO_NEIGHBORHOOD;
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		uint64		member = bpg->past->releases == 0 ? NO_MEMBER : bpg->past->member[row];

		CHECK_FOR_INTERRUPTS();
		if (!is_asked(frame, row))
			continue;
		bpg->draft->suppressed += member == LOST_MEMBER;
		bpg->draft->lost += member == LOST_MEMBER;
		if (member == NO_MEMBER)
			bpg->rows[n++] = row;
	}
	if (n == 0)
		return;
	if (wait_for_more(bpg))
	{
		bpg->draft->suppressed += n;
		bpg->draft->waiting += n;
		return;
	}
	progress_phase("cut newcomers", n);
	if (cut_by_layout(bpg, n))
		return;
	bpg->reserved = bpg->k;
	progress_phase("cut newcomers", n);
	if (cut_by_layout(bpg, n))
		return;
	if (is_too_costly(bpg, n, 0))
		bpg->draft->given_up += n;
	else if (invent_company(bpg, n))
		return;
	bpg->draft->suppressed += n;
}

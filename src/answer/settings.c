/*
 * settings.c
 *		Defining the settings, when the module is loaded.
 */
#include "postgres.h"

#include "answer/settings.h"

#include "postmaster/postmaster.h"
#include "utils/guc.h"

int			answer_wait = 10000;
int			answer_linger = 5000;
int			answer_workers = 0;
int			answer_time_grid = 0;

void
define_settings(void)
{
	DefineCustomIntVariable("pprepub.answer_wait",
							"How long an answer waits for a free background worker.",
							NULL, &answer_wait, 10000, 0, PG_INT32_MAX,
							PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("pprepub.answer_linger",
							"How long a background worker stays to make the next answer of the same owner.",
							"0 has each answer made by a worker of its own.", &answer_linger, 5000, 0, PG_INT32_MAX,
							PGC_SUSET, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("pprepub.answer_workers",
							"How many background workers of one owner answer at the same time before others wait.",
							"0 stands for as many as there are processors.", &answer_workers, 0, 0, MAX_BACKENDS,
							PGC_SUSET, 0, NULL, NULL, NULL);
	/* Analysts could take it away again, if they could set it. */
	DefineCustomIntVariable("pprepub.answer_time_grid",
							"Answers are given after a multiple of this time only.",
							"How long an answer takes follows how many people it is about. 0 turns it off.",
							&answer_time_grid, 0, 0, PG_INT32_MAX,
							PGC_SUSET, GUC_UNIT_MS, NULL, NULL, NULL);
	MarkGUCPrefixReserved("pprepub");
}

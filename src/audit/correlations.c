/*
 * correlations.c
 *		Following the people of each class back to where they were.
 *
 * NOTES
 *		For each class, its people's earlier classes are counted: as many steps as they have together.  So the time
 *		grows with how long people stay, not with pairs of classes.
 */
#include "postgres.h"

#include "audit/compromise.h"
#include "audit/judge_draft.h"
#include "frame/arrays.h"
#include "miscadmin.h"

/* Classes of all releases in one row. */
typedef struct CommonCounts
{
	const Statistics *statistics;
	uint64	   *base;			/* [releases + 1] */
	uint32	   *common;			/* [classes] zeros between two classes */
	Step	   *met;			/* that have people in common with the class at hand */
	uint64		nmet;
	uint64		allocated;
	uint32		most;
	void		(*visit) (void *what, const Correlation *correlation);
	void	   *what;
} CommonCounts;

/* Orders steps by release, then by class. */
DEFINE_ORDER(compare_steps, Step, ASCENDING(release) ASCENDING(class));

/* Compares a class with all earlier classes of its people. */
static void
look_back(CommonCounts *counting, Step at)
{
	const Statistics *statistics = counting->statistics;
	const SeenRelease *release = &statistics->seen->release[at.release];
	uint64		size = seen_size(release, at.class);

	counting->nmet = 0;
	for (uint64 i = release->first[at.class]; i < release->first[at.class + 1]; i++)
	{
		Individual	t = release->individual[i];

		for (uint64 s = statistics->first[t]; s < statistics->first[t + 1] && statistics->step[s].release < at.release; s++)
		{
			Step		step = statistics->step[s];

			if (counting->common[counting->base[step.release] + step.class]++ > 0)
				continue;
			array_reserve(counting->met, counting->allocated, counting->nmet + 1);
			counting->met[counting->nmet++] = step;
		}
	}
	qsort(counting->met, counting->nmet, sizeof(Step), compare_steps);
	for (uint64 i = 0; i < counting->nmet; i++)
	{
		Step		a = counting->met[i];
		uint32	   *common = &counting->common[counting->base[a.release] + a.class];

		if (*common < size && size - *common <= counting->most && statistics_same_values(statistics, a, at))
			counting->visit(counting->what, &(Correlation) {a, at, size - *common});
		*common = 0;
	}
}

void
find_correlations(const Statistics *statistics, uint32 most,
				  void (*visit) (void *what, const Correlation *correlation), void *what)
{
	const Seen *seen = statistics->seen;
	CommonCounts counting = {.statistics = statistics, .most = most, .visit = visit, .what = what};

	counting.base = palloc0(sizeof(uint64) * ((Size) seen->nreleases + 1));
	for (int32 r = 0; r < seen->nreleases; r++)
		counting.base[r + 1] = counting.base[r] + seen->release[r].nclasses;
	counting.common = new_zeros(uint32, counting.base[seen->nreleases]);
	array_reserve(counting.met, counting.allocated, 64);
	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
		{
			CHECK_FOR_INTERRUPTS();
			look_back(&counting, (Step) {r, c});
		}
	pfree(counting.common);
	pfree(counting.met);
	pfree(counting.base);
}

/* Refuses a class that has all but a few of its people in common with an earlier one. */
static void
judge_class(const Companies *companies, const Classes *classes, uint32 c, uint32 n, uint32 *common)
{
	uint64		size = class_size(classes, c) + class_counterfeits(classes, c);
	bool		is_safe = true;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		for (uint64 at = companies->first[classes->rows[i]]; at < companies->first[classes->rows[i] + 1]; at++)
			common[companies->company[at]]++;
	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		for (uint64 at = companies->first[classes->rows[i]]; at < companies->first[classes->rows[i] + 1]; at++)
		{
			uint32	   *of = &common[companies->company[at]];

			is_safe &= *of == 0 || *of >= size || *of + n <= size;
			*of = 0;
		}
	if (!is_safe)
		refuse_draft(c, "it tells few people from those of an earlier one");
}

void
judge_correlations(const Companies *companies, const Classes *classes, uint32 n)
{
	uint32	   *common = new_zeros(uint32, companies->n);

	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		if (c % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		judge_class(companies, classes, c, n, common);
	}
	pfree(common);
}

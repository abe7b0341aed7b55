/*
 * profile.c
 *		What the cliques of a join tell of each tuple.
 *
 * NOTES
 *		Tuples are sorted, so that those that agree in what a release shows come
 *		together, above all in the releases that have most pieces.
 */
#include "postgres.h"

#include "audit/join/counts.h"
#include "audit/join/profile.h"
#include "audit/join/hearing.h"
#include "frame/codes.h"
#include "miscadmin.h"
#include "utils/memutils.h"

typedef struct Profiling
{
	const JoinGraph *graph;
	const JoinTuples *tuples;
	LinkProfile *profile;
	bool		with_values;
	uint64		nkept;			/* values written down */
	uint64		room;			/* for so many */
	Meeting    *meeting;		/* [releases] */
	int32	   *release;		/* [releases] those with most pieces first */
	Hearing	   *hearing;
	Wide	   *total;
} Profiling;

static void *
allocate(Size width, Size n)
{
	return palloc_extended(width * (n + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* Writes down the values and frequencies of a tuple. */
static void
keep_values(Profiling *profiling, uint32 tuple)
{
	LinkProfile *profile = profiling->profile;
	uint64		n = profile->first[tuple] = profiling->nkept;

	profiling->nkept += profiling->hearing->nvalues;
	if (profiling->nkept > profiling->room)
	{
		profiling->room = Max(profiling->room * 2, profiling->nkept);
		profile->value = repalloc_huge(profile->value, sizeof(Code) * profiling->room);
		profile->frequency = repalloc_huge(profile->frequency, sizeof(double) * profiling->room);
	}
	sort_codes(profiling->hearing->value, profiling->hearing->nvalues);
	for (uint32 i = 0; i < profiling->hearing->nvalues; i++, n++)
	{
		Code		value = profiling->hearing->value[i];

		profile->value[n] = value == profiling->graph->input->nvalues ? NO_CODE : value;
		profile->frequency[n] = wide_ratio(&profiling->hearing->cliques[value], profiling->total);
	}
}

/* Judges a tuple by the values that were heard, and forgets them. */
static void
judge(Profiling *profiling, uint32 tuple)
{
	LinkProfile *profile = profiling->profile;
	const Wide *most = NULL;

	wide_set(profiling->total, 0);
	for (uint32 i = 0; i < profiling->hearing->nvalues; i++)
	{
		const Wide *cliques = &profiling->hearing->cliques[profiling->hearing->value[i]];

		wide_add(profiling->total, cliques);
		if (most == NULL || wide_compare(cliques, most) > 0)
			most = cliques;
	}
	profile->linkability[tuple] = profiling->hearing->nvalues;
	profile->diversity[tuple] = most == NULL ? 0 : wide_ratio(profiling->total, most);
	if (profiling->with_values)
		keep_values(profiling, tuple);
	if (!profiling->hearing->any)
		profile->linkability[tuple] = NO_CLIQUE;
	hearing_clear(profiling->hearing);
}

static void
profile_tuple(Profiling *profiling, uint32 tuple)
{
	for (int32 r = 0; r < profiling->graph->nreleases; r++)
		meet(&profiling->meeting[r], profiling->tuples, tuple);
	hear_cliques(profiling->hearing);
	judge(profiling, tuple);
}

static bool
is_shown(const JoinGraph *graph, int32 column)
{
	for (int32 r = 0; r < graph->nreleases; r++)
		if (graph->side[r].cells[column] != NULL)
			return true;
	return false;
}

/* Parts tuples by what any release shows. */
static Parting
part_by_shown(const JoinGraph *graph, const JoinTuples *tuples)
{
	int32	   *column = allocate(sizeof(int32), graph->input->nqis);
	int32		ncolumns = 0;
	Parting		parting;

	for (int32 c = 0; c < graph->input->nqis; c++)
		if (is_shown(graph, c))
			column[ncolumns++] = c;
	parting = part_tuples(tuples, column, ncolumns);
	pfree(column);
	return parting;
}

/* Orders tuples by what they meet. */
static int
compare_meetings(const void *a, const void *b, void *arg)
{
	const Profiling *profiling = arg;

	for (int32 i = 0; i < profiling->graph->nreleases; i++)
	{
		const uint32 *part = profiling->meeting[profiling->release[i]].alike.part;
		uint32		x = part[*(const uint32 *) a];
		uint32		y = part[*(const uint32 *) b];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static int
compare_releases(const void *a, const void *b, void *arg)
{
	const JoinGraph *graph = arg;
	int32		x = *(const int32 *) a;
	int32		y = *(const int32 *) b;

	if (graph->side[x].npieces != graph->side[y].npieces)
		return graph->side[x].npieces > graph->side[y].npieces ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Profiles a tuple of each kind, and gives all others what those like them have. */
static void
profile_tuples(Profiling *profiling)
{
	LinkProfile *profile = profiling->profile;
	uint32		ntuples = profiling->tuples->ntuples;
	Parting		kinds = part_by_shown(profiling->graph, profiling->tuples);
	uint32	   *like = allocate(sizeof(uint32), kinds.nparts);	/* a tuple of each kind */
	uint32	   *order = allocate(sizeof(uint32), kinds.nparts);

	for (uint32 t = ntuples; t-- > 0;)
		like[kinds.part[t]] = t;
	memcpy(order, like, sizeof(uint32) * kinds.nparts);
	qsort_arg(order, kinds.nparts, sizeof(uint32), compare_meetings, profiling);
	for (uint32 i = 0; i < kinds.nparts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		profile_tuple(profiling, order[i]);
	}
	for (uint32 t = 0; t < ntuples; t++)
	{
		uint32		same = like[kinds.part[t]];

		profile->linkability[t] = profile->linkability[same];
		profile->diversity[t] = profile->diversity[same];
		if (profile->first != NULL)
			profile->first[t] = profile->first[same];
	}
	pfree(order);
	pfree(like);
	parting_free(&kinds);
}

static void
find_least(LinkProfile *profile, uint32 ntuples)
{
	profile->least_linkability = NO_CLIQUE;
	for (uint32 t = 0; t < ntuples; t++)
	{
		if (profile->linkability[t] == NO_CLIQUE)
			continue;
		if (profile->least_linkability == NO_CLIQUE || profile->diversity[t] < profile->least_diversity)
			profile->least_diversity = profile->diversity[t];
		profile->least_linkability = Min(profile->least_linkability, profile->linkability[t]);
	}
}

static LinkProfile *
create_profile(Profiling *profiling)
{
	uint32		ntuples = profiling->tuples->ntuples;
	LinkProfile *profile = palloc0(sizeof(LinkProfile));

	profile->linkability = allocate(sizeof(uint32), ntuples);
	profile->diversity = allocate(sizeof(double), ntuples);
	if (profiling->with_values)
	{
		profiling->room = 1024;
		profile->first = allocate(sizeof(uint64), ntuples);
		profile->value = allocate(sizeof(Code), profiling->room);
		profile->frequency = allocate(sizeof(double), profiling->room);
	}
	return profile;
}

static void
prepare(Profiling *profiling)
{
	const JoinGraph *graph = profiling->graph;

	profiling->profile = create_profile(profiling);
	profiling->meeting = allocate(sizeof(Meeting), graph->nreleases);
	profiling->release = allocate(sizeof(int32), graph->nreleases);
	profiling->total = wide_create(1, join_limbs(graph));
	for (int32 r = 0; r < graph->nreleases; r++)
	{
		profiling->release[r] = r;
		meeting_create(&profiling->meeting[r], graph, r, profiling->tuples);
	}
	qsort_arg(profiling->release, graph->nreleases, sizeof(int32), compare_releases, (void *) graph);
	profiling->hearing = hearing_create(graph, profiling->meeting);
}

LinkProfile *
link_profile(const JoinGraph *graph, const JoinTuples *tuples, bool with_values)
{
	Profiling	profiling = {.graph = graph,.tuples = tuples,.with_values = with_values};

	if (!is_shown(graph, graph->sensitive))
		return NULL;
	prepare(&profiling);
	profile_tuples(&profiling);
	find_least(profiling.profile, tuples->ntuples);
	return profiling.profile;
}

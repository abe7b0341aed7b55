/*
 * profile.c
 *		The values that the cliques of a join tell of each tuple.
 *
 * NOTES
 *		Tuples are sorted, so that those that agree in what a release shows come
 *		together, above all in the releases that have most pieces.
 */
#include "postgres.h"

#include "audit/join/counts.h"
#include "audit/join/hearing.h"
#include "audit/join/profile.h"
#include "frame/arrays.h"
#include "frame/domain.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

typedef struct Profiling
{
	const JoinGraph *graph;
	const JoinTuples *tuples;
	LinkProfile *profile;
	bool		with_values;
	uint64		nkept;			/* values written down */
	uint64		room;			/* values that there is room for */
	Meeting    *meeting;		/* [releases] */
	int32	   *release;		/* [releases] those with most pieces first */
	Hearing    *hearing;
	Wide	   *total;

	/* Values that a tuple in a box may hear of; NULL where all tuples are known */
	Wide	   *possible;		/* [values + 1] */
	Code	   *value;			/* [values + 1] those that are possible */
	uint32		nvalues;
	Wide	   *others;
} Profiling;

/* Makes room for more values, those of a tuple; returns the index of the first. */
static uint64
make_room(Profiling *profiling, uint32 tuple, uint32 nvalues)
{
	LinkProfile *profile = profiling->profile;
	uint64		n = profile->first[tuple] = profiling->nkept;

	profile->nvalues[tuple] = nvalues;
	profiling->nkept += nvalues;
	if (profiling->nkept > profiling->room)
	{
		profiling->room = array_room(profiling->room, profiling->nkept);
		array_resize(profile->value, profiling->room);
		array_resize(profile->frequency, profiling->room);
	}
	return n;
}

static inline Code
told_value(const Profiling *profiling, Code value)
{
	return value == profiling->graph->input->nvalues ? NO_CODE : value;
}

/* Writes down the values and frequencies of a tuple. */
static void
keep_values(Profiling *profiling, uint32 tuple)
{
	LinkProfile *profile = profiling->profile;
	const Hearing *hearing = profiling->hearing;
	uint64		n = make_room(profiling, tuple, hearing->nvalues);

	sort_codes(hearing->value, hearing->nvalues);
	for (uint32 i = 0; i < hearing->nvalues; i++, n++)
	{
		profile->value[n] = told_value(profiling, hearing->value[i]);
		profile->frequency[n] = wide_ratio(&hearing->cliques[hearing->value[i]], profiling->total);
	}
}

/* Adds up what was heard; returns what was heard most of, or NULL. */
static const Wide *
add_up(Profiling *profiling)
{
	const Hearing *hearing = profiling->hearing;
	const Wide *most = NULL;

	wide_set(profiling->total, 0);
	for (uint32 i = 0; i < hearing->nvalues; i++)
	{
		const Wide *cliques = &hearing->cliques[hearing->value[i]];

		wide_add(profiling->total, cliques);
		if (most == NULL || wide_compare(cliques, most) > 0)
			most = cliques;
	}
	return most;
}

/* Judges a tuple by the values that were heard. */
static void
judge(Profiling *profiling, uint32 tuple)
{
	const Wide *most = add_up(profiling);

	profiling->profile->diversity[tuple] = most == NULL ? 0 : wide_ratio(profiling->total, most);
	if (profiling->with_values)
		keep_values(profiling, tuple);
}

/* ----------------------------------------------------------------
 * Boxes
 * ----------------------------------------------------------------
 */

/* Keeps what was heard as what is possible, and forgets it. */
static void
take_possible(Profiling *profiling)
{
	Hearing    *hearing = profiling->hearing;

	sort_codes(hearing->value, hearing->nvalues);
	profiling->nvalues = hearing->nvalues;
	memcpy(profiling->value, hearing->value, sizeof(Code) * hearing->nvalues);
	for (uint32 i = 0; i < hearing->nvalues; i++)
		wide_copy(&profiling->possible[hearing->value[i]], &hearing->cliques[hearing->value[i]]);
	hearing_clear(hearing);
}

/* Of a person in a box who may have this value: all cliques, at the least, by those with it, at the most. */
static double
least_ratio(Profiling *profiling, Code value)
{
	wide_copy(profiling->others, profiling->total);
	if (profiling->hearing->heard[value])
		wide_subtract(profiling->others, &profiling->hearing->cliques[value]);
	wide_add(profiling->others, &profiling->possible[value]);
	return wide_ratio(profiling->others, &profiling->possible[value]);
}

/* Judges a box by the values that are heard of all over it, and those that are possible. */
static void
judge_box(Profiling *profiling, uint32 tuple)
{
	LinkProfile *profile = profiling->profile;
	uint64		n = profiling->with_values ? make_room(profiling, tuple, profiling->nvalues) : 0;

	(void) add_up(profiling);
	profile->diversity[tuple] = 0;
	for (uint32 i = 0; i < profiling->nvalues; i++)
	{
		double		ratio = least_ratio(profiling, profiling->value[i]);

		if (i == 0 || ratio < profile->diversity[tuple])
			profile->diversity[tuple] = ratio;
		if (!profiling->with_values)
			continue;
		profile->value[n] = told_value(profiling, profiling->value[i]);
		profile->frequency[n++] = 1 / ratio;
	}
}

/* ----------------------------------------------------------------
 * All of them
 * ----------------------------------------------------------------
 */

/* Finds the records that a tuple meets in each release, and counts their cliques by value. */
static void
hear(Profiling *profiling, uint32 tuple, bool is_wide)
{
	for (int32 r = 0; r < profiling->graph->nreleases; r++)
	{
		profiling->meeting[r].is_wide = is_wide;
		meet(&profiling->meeting[r], profiling->tuples, tuple);
	}
	hear_cliques(profiling->hearing);
}

/* Finds the linkability and diversity of a tuple, or of a box. */
static void
profile_tuple(Profiling *profiling, uint32 tuple)
{
	bool		is_wide = is_box(profiling->tuples, profiling->graph->input->nqis, tuple);

	if (is_wide)
	{
		hear(profiling, tuple, true);
		take_possible(profiling);
	}
	hear(profiling, tuple, false);
	profiling->profile->linkability[tuple] = profiling->hearing->any ? profiling->hearing->nvalues : NO_CLIQUE;
	if (is_wide)
		judge_box(profiling, tuple);
	else
		judge(profiling, tuple);
	hearing_clear(profiling->hearing);
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
	int32	   *column = new_zeros(int32, graph->input->nqis);
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

/* Orders releases by their number of pieces, largest first. */
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
	uint32	   *like = new_zeros(uint32, kinds.nparts); /* a tuple of each kind */
	uint32	   *order = new_zeros(uint32, kinds.nparts);

	for (uint32 t = ntuples; t-- > 0;)
		like[kinds.part[t]] = t;
	memcpy(order, like, sizeof(uint32) * kinds.nparts);
	qsort_arg(order, kinds.nparts, sizeof(uint32), compare_meetings, profiling);
	progress_phase("measure tuples", kinds.nparts);
	for (uint32 i = 0; i < kinds.nparts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		profile_tuple(profiling, order[i]);
		progress_step(1);
	}
	for (uint32 t = 0; t < ntuples; t++)
	{
		uint32		same = like[kinds.part[t]];

		profile->linkability[t] = profile->linkability[same];
		profile->diversity[t] = profile->diversity[same];
		if (profile->first == NULL)
			continue;
		profile->first[t] = profile->first[same];
		profile->nvalues[t] = profile->nvalues[same];
	}
	pfree(order);
	pfree(like);
	parting_free(&kinds);
}

/* Finds the least linkability and diversity of all tuples that have cliques. */
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

/* Allocates the result. */
static LinkProfile *
create_profile(Profiling *profiling)
{
	uint32		ntuples = profiling->tuples->ntuples;
	LinkProfile *profile = palloc0(sizeof(LinkProfile));

	profile->linkability = new_zeros(uint32, ntuples);
	profile->diversity = new_zeros(double, ntuples);
	if (profiling->with_values)
	{
		profiling->room = 1024;
		profile->first = new_zeros(uint64, ntuples);
		profile->nvalues = new_zeros(uint32, ntuples);
		profile->value = new_zeros(Code, profiling->room);
		profile->frequency = new_zeros(double, profiling->room);
	}
	return profile;
}

/* Prepares the meetings with all releases, those with most pieces first. */
static void
prepare(Profiling *profiling)
{
	const JoinGraph *graph = profiling->graph;

	profiling->profile = create_profile(profiling);
	profiling->meeting = new_zeros(Meeting, graph->nreleases);
	profiling->release = new_zeros(int32, graph->nreleases);
	profiling->total = wide_create(1, join_limbs(graph));
	for (int32 r = 0; r < graph->nreleases; r++)
	{
		profiling->release[r] = r;
		meeting_create(&profiling->meeting[r], graph, r, profiling->tuples);
	}
	qsort_arg(profiling->release, graph->nreleases, sizeof(int32), compare_releases, (void *) graph);
	profiling->hearing = hearing_create(graph, profiling->meeting);
	if (profiling->tuples->end == NULL)
		return;
	profiling->possible = wide_create((Size) graph->input->nvalues + 1, join_limbs(graph));
	profiling->value = new_zeros(Code, (Size) graph->input->nvalues + 1);
	profiling->others = wide_create(1, join_limbs(graph));
}

LinkProfile *
link_profile(const JoinGraph *graph, const JoinTuples *tuples, bool with_values)
{
	Profiling	profiling = {.graph = graph, .tuples = tuples, .with_values = with_values};

	if (!is_shown(graph, graph->sensitive))
		return NULL;
	prepare(&profiling);
	profile_tuples(&profiling);
	find_least(profiling.profile, tuples->ntuples);
	return profiling.profile;
}

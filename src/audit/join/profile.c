/*
 * profile.c
 *		The values that the cliques of a join link each tuple to.
 *
 * NOTES
 *		If several releases show the sensitive column, each clique has one value, and is counted with the first of its
 *		nodes that shows it: those before show none, and those behind the same or none.
 *
 *		If one release shows it, its nodes may have several values.  The cliques that each node is in are counted
 *		first, and divided among the values of its records afterwards.
 */
#include "postgres.h"

#include "audit/join/counting.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* How many cliques link the tuple at hand to each value */
typedef struct ValueLinks
{
	const JoinGraph *graph;		/* borrowed */
	Consistent *consistent;		/* [releases] borrowed */

	/* By value; after all codes, "not shown" */
	Wide	   *cliques;		/* [values + 1] of records */
	bool	   *is_linked;		/* [values + 1] */
	Code	   *value;			/* [values + 1] those that it is linked to */
	uint32		nvalues;
	bool		any;			/* clique was found, if only of a NULL */

	CliqueCounter *counter;
	const uint32 **weight;		/* [releases] */
	const uint32 **only;		/* [releases] nodes at hand */
	uint32	   *nonly;			/* [releases] */
	uint32	  **mixed;			/* [releases][nodes] room for those of two values; NULL if that cannot be */
	Wide	   *total;

	/* The release alone that shows the sensitive column, or -1 */
	int32		only_shown_by;
	Wide	   *of_node;		/* [nodes] cliques of the others */
} ValueLinks;

typedef struct Profiling
{
	const JoinGraph *graph;
	const JoinTuples *tuples;
	LinkProfile *profile;
	bool		with_values;
	uint64		nkept;			/* values written down */
	uint64		room;			/* values that there is room for */
	Consistent *consistent;		/* [releases] */
	ValueLinks *links;
	Wide	   *total;

	/* Values that a tuple in a box may be linked to; NULL where all tuples are known */
	Wide	   *possible;		/* [values + 1] */
	Code	   *value;			/* [values + 1] those that are possible */
	uint32		nvalues;
	Wide	   *others;
} Profiling;

/* ---- Cliques by value ---- */

/* Adds cliques to those of a value; a NULL counts for no value. */
static void
add_cliques(ValueLinks *links, Code code, const Wide *cliques, uint32 times)
{
	Code		value = code == NO_CODE ? links->graph->input->nvalues : code;

	if (times == 0 || wide_is_zero(cliques))
		return;
	links->any = true;
	if (code == links->graph->input->null_value && code != NO_CODE)
		return;
	if (!links->is_linked[value])
		links->value[links->nvalues++] = value;
	links->is_linked[value] = true;
	wide_add_multiple(&links->cliques[value], cliques, times);
}

/* Forgets the tuple at hand. */
static void
links_clear(ValueLinks *links)
{
	for (uint32 i = 0; i < links->nvalues; i++)
	{
		wide_set(&links->cliques[links->value[i]], 0);
		links->is_linked[links->value[i]] = false;
	}
	links->nvalues = 0;
	links->any = false;
}

/* Counts cliques by the value of the one release that shows it. */
static void
link_by_node(ValueLinks *links)
{
	const Consistent *consistent = &links->consistent[links->only_shown_by];

	for (uint32 i = 0; i < consistent->nnodes; i++)
		wide_set(&links->of_node[consistent->node[i]], 0);
	count_cliques(links->counter, links->only, links->nonly, links->only_shown_by, links->of_node);
	for (uint32 i = 0; i < consistent->nshares; i++)
	{
		const Share *share = &consistent->share[consistent->found_share[i]];

		add_cliques(links, share->value, &links->of_node[share->node], consistent->share_weight[consistent->found_share[i]]);
	}
}

/* Takes the nodes that show a value, and, if so asked, those that show none, which stand last. */
static void
take_value(ValueLinks *links, int32 r, Code value, bool silent_too)
{
	const Consistent *consistent = &links->consistent[r];
	uint32		first = first_of_value(consistent, value);
	uint32		n = first_of_value(consistent, value + 1) - first;
	uint32		silent = first_of_value(consistent, NO_CODE);
	uint32		nsilent = silent_too ? consistent->nnodes - silent : 0;

	links->only[r] = &consistent->node[first];
	links->nonly[r] = n + nsilent;
	if (nsilent == 0)
		return;
	memcpy(links->mixed[r], &consistent->node[first], sizeof(uint32) * n);
	memcpy(links->mixed[r] + n, &consistent->node[silent], sizeof(uint32) * nsilent);
	links->only[r] = links->mixed[r];
}

/* Counts the cliques of the nodes taken as those of a value; there are none if a release has no node left. */
static void
count_value(ValueLinks *links, Code value)
{
	for (int32 r = 0; r < links->graph->nreleases; r++)
		if (links->nonly[r] == 0)
			return;
	wide_set(links->total, 0);
	count_cliques(links->counter, links->only, links->nonly, -1, links->total);
	add_cliques(links, value, links->total, 1);
}

/* Counts cliques by value where several releases show it: by the first of them, k, that does. */
static void
link_by_value(ValueLinks *links)
{
	for (int32 k = 0; k < links->graph->nreleases; k++)
	{
		const Consistent *consistent = &links->consistent[k];
		uint32		silent;

		if (consistent->value == NULL)
			continue;
		silent = first_of_value(consistent, NO_CODE);
		for (uint32 i = 0; i < silent;)
		{
			Code		value = consistent->value[consistent->node[i]];

			for (int32 r = k; r < links->graph->nreleases; r++)
				if (links->consistent[r].value != NULL)
					take_value(links, r, value, r > k);
			count_value(links, value);
			i = first_of_value(consistent, value + 1);
		}
		links->only[k] = &consistent->node[silent];
		links->nonly[k] = consistent->nnodes - silent;
		if (links->nonly[k] == 0)
			return;				/* each clique has been counted */
	}
	count_value(links, NO_CODE);
}

/* Finds the records that a tuple is consistent with in each release, and counts their cliques by value. */
static void
link_tuple(Profiling *profiling, uint32 tuple, bool is_wide)
{
	ValueLinks *links = profiling->links;

	for (int32 r = 0; r < profiling->graph->nreleases; r++)
	{
		find_consistent(&profiling->consistent[r], profiling->tuples, tuple, is_wide);
		links->only[r] = profiling->consistent[r].node;
		links->nonly[r] = profiling->consistent[r].nnodes;
	}
	if (links->only_shown_by >= 0)
		link_by_node(links);
	else
		link_by_value(links);
}

/* Allocates the counts, and finds out whether one release alone shows values. */
static ValueLinks *
links_create(const JoinGraph *graph, Consistent *consistent)
{
	ValueLinks *links = palloc0(sizeof(ValueLinks));
	Size		nvalues = (Size) graph->input->nvalues + 1;
	int32		n = graph->nreleases;

	links->graph = graph;
	links->consistent = consistent;
	links->cliques = wide_create(nvalues, join_limbs(graph));
	links->is_linked = new_zeros(bool, nvalues);
	links->value = new_array(Code, nvalues);
	links->weight = new_array(const uint32 *, n);
	links->only = new_array(const uint32 *, n);
	links->nonly = new_array(uint32, n);
	links->mixed = new_zeros(uint32 *, n);
	links->only_shown_by = -1;
	for (int32 r = 0; r < n; r++)
	{
		links->weight[r] = consistent[r].weight;
		if (consistent[r].value != NULL)
			links->mixed[r] = new_array(uint32, graph->side[r].nnodes);
		else if (consistent[r].shows_values)
			links->only_shown_by = r;
	}
	links->counter = counter_create(graph, links->weight);
	links->total = wide_create(1, join_limbs(graph));
	if (links->only_shown_by < 0)
		return links;
	links->of_node = wide_create(graph->side[links->only_shown_by].nnodes, join_limbs(graph));
	return links;
}

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
kept_code(const Profiling *profiling, Code value)
{
	return value == profiling->graph->input->nvalues ? NO_CODE : value;
}

/* Adds up all cliques; returns those of the most frequent value, or NULL. */
static const Wide *
add_up(Profiling *profiling)
{
	const ValueLinks *links = profiling->links;
	const Wide *most = NULL;

	wide_set(profiling->total, 0);
	for (uint32 i = 0; i < links->nvalues; i++)
	{
		const Wide *cliques = &links->cliques[links->value[i]];

		wide_add(profiling->total, cliques);
		if (most == NULL || wide_compare(cliques, most) > 0)
			most = cliques;
	}
	return most;
}

/* Writes down the diversity of a tuple, and its values and frequencies, if they are asked for. */
static void
judge(Profiling *profiling, uint32 tuple)
{
	LinkProfile *profile = profiling->profile;
	const ValueLinks *links = profiling->links;
	const Wide *most = add_up(profiling);
	uint64		n;

	profile->diversity[tuple] = most == NULL ? 0 : wide_ratio(profiling->total, most);
	if (!profiling->with_values)
		return;
	n = make_room(profiling, tuple, links->nvalues);
	sort_codes(links->value, links->nvalues);
	for (uint32 i = 0; i < links->nvalues; i++, n++)
	{
		profile->value[n] = kept_code(profiling, links->value[i]);
		profile->frequency[n] = wide_ratio(&links->cliques[links->value[i]], profiling->total);
	}
}

/* Judges a box by the values that all of it is linked to, and those that are possible. */
static void
judge_box(Profiling *profiling, uint32 tuple)
{
	LinkProfile *profile = profiling->profile;
	const ValueLinks *links = profiling->links;
	uint64		n = profiling->with_values ? make_room(profiling, tuple, profiling->nvalues) : 0;

	(void) add_up(profiling);
	profile->diversity[tuple] = 0;
	for (uint32 i = 0; i < profiling->nvalues; i++)
	{
		Code		value = profiling->value[i];
		double		ratio;

		/* Of a person in the box who may have this value: all cliques, at the least, by those with it, at the most */
		wide_copy(profiling->others, profiling->total);
		if (links->is_linked[value])
			wide_subtract(profiling->others, &links->cliques[value]);
		wide_add(profiling->others, &profiling->possible[value]);
		ratio = wide_ratio(profiling->others, &profiling->possible[value]);
		if (i == 0 || ratio < profile->diversity[tuple])
			profile->diversity[tuple] = ratio;
		if (!profiling->with_values)
			continue;
		profile->value[n] = kept_code(profiling, value);
		profile->frequency[n++] = 1 / ratio;
	}
}

/* Finds the linkability and diversity of a tuple, or of a box. */
static void
profile_tuple(Profiling *profiling, uint32 tuple)
{
	bool		is_wide = is_box(profiling->tuples, profiling->graph->input->nqis, tuple);

	if (is_wide)
	{
		ValueLinks *links = profiling->links;

		/* The values that some tuple in a box is linked to are those that are possible */
		link_tuple(profiling, tuple, true);
		sort_codes(links->value, links->nvalues);
		profiling->nvalues = links->nvalues;
		memcpy(profiling->value, links->value, sizeof(Code) * links->nvalues);
		for (uint32 i = 0; i < links->nvalues; i++)
			wide_copy(&profiling->possible[links->value[i]], &links->cliques[links->value[i]]);
		links_clear(links);
	}
	link_tuple(profiling, tuple, false);
	profiling->profile->linkability[tuple] = profiling->links->any ? profiling->links->nvalues : NO_CLIQUE;
	if (is_wide)
		judge_box(profiling, tuple);
	else
		judge(profiling, tuple);
	links_clear(profiling->links);
}

/* ---- All of them ---- */

static bool
is_shown(const JoinGraph *graph, int32 column)
{
	for (int32 r = 0; r < graph->nreleases; r++)
		if (graph->side[r].cells[column] != NULL)
			return true;
	return false;
}

/* Profiles a tuple of each kind, by what any release shows, and gives all others what those like them have. */
static void
profile_tuples(Profiling *profiling)
{
	LinkProfile *profile = profiling->profile;
	uint32		ntuples = profiling->tuples->ntuples;
	int32	   *column = new_array(int32, profiling->graph->input->nqis);
	int32		ncolumns = 0;
	Parting		kinds;
	uint32	   *like;			/* a tuple of each kind */

	for (int32 c = 0; c < profiling->graph->input->nqis; c++)
		if (is_shown(profiling->graph, c))
			column[ncolumns++] = c;
	kinds = part_tuples(profiling->tuples, column, ncolumns);
	like = new_array(uint32, kinds.nparts);
	for (uint32 t = ntuples; t-- > 0;)
		like[kinds.part[t]] = t;
	progress_phase("measure tuples", kinds.nparts);
	for (uint32 i = 0; i < kinds.nparts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		profile_tuple(profiling, like[i]);
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
	pfree(column);
	pfree(like);
	pfree(kinds.part);
}

LinkProfile *
link_profile(const JoinGraph *graph, const JoinTuples *tuples, bool with_values)
{
	Profiling	profiling = {.graph = graph, .tuples = tuples, .with_values = with_values, .room = 1024};
	LinkProfile *profile = palloc0(sizeof(LinkProfile));

	if (!is_shown(graph, graph->sensitive))
		return NULL;
	profiling.profile = profile;
	profile->linkability = new_array(uint32, tuples->ntuples);
	profile->diversity = new_array(double, tuples->ntuples);
	if (with_values)
	{
		profile->first = new_array(uint64, tuples->ntuples);
		profile->nvalues = new_array(uint32, tuples->ntuples);
		profile->value = new_array(Code, profiling.room);
		profile->frequency = new_array(double, profiling.room);
	}
	profiling.consistent = consistent_create(graph, tuples);
	profiling.links = links_create(graph, profiling.consistent);
	profiling.total = wide_create(1, join_limbs(graph));
	if (tuples->end != NULL)
	{
		profiling.possible = wide_create((Size) graph->input->nvalues + 1, join_limbs(graph));
		profiling.value = new_array(Code, (Size) graph->input->nvalues + 1);
		profiling.others = wide_create(1, join_limbs(graph));
	}
	profile_tuples(&profiling);
	profile->least_linkability = NO_CLIQUE;
	for (uint32 t = 0; t < tuples->ntuples; t++)
	{
		if (profile->linkability[t] == NO_CLIQUE)
			continue;
		if (profile->least_linkability == NO_CLIQUE || profile->diversity[t] < profile->least_diversity)
			profile->least_diversity = profile->diversity[t];
		profile->least_linkability = Min(profile->least_linkability, profile->linkability[t]);
	}
	return profile;
}

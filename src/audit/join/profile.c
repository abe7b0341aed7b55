/*
 * profile.c
 *		Counting cliques, and what they tell of each tuple.
 *
 * NOTES
 *		For each tuple, a release's nodes weigh as many records as are consistent
 *		with it.  A clique's value is told by the first of its nodes that shows one.
 *		If other releases show it, too, all records of that node show the same; if
 *		not, they may show several, so the cliques that a node tells of are added
 *		up first, and shared out among the pieces of the node afterwards.
 */
#include "postgres.h"

#include "audit/join/boxes.h"
#include "audit/join/cliques.h"
#include "audit/join/parting.h"
#include "audit/join/profile.h"
#include "miscadmin.h"
#include "utils/memutils.h"

static void *
allocate(Size width, Size n)
{
	return palloc_extended(width * (n + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* For any number of a graph's cliques */
static int32
limbs_of(const JoinGraph *graph)
{
	uint32		most = 1;

	for (int32 r = 0; r < graph->nreleases; r++)
		most = Max(most, graph->input->release[r].nrecords);
	return wide_limbs(most, graph->nreleases);
}

/* ----------------------------------------------------------------
 * Counts
 * ----------------------------------------------------------------
 */

typedef struct Counting
{
	const JoinGraph *graph;
	Wide	   *cliques;
	Wide	   *product;
} Counting;

static bool
count_clique(void *arg, const uint32 *node)
{
	Counting   *counting = arg;

	wide_set(counting->product, 1);
	for (int32 r = 0; r < counting->graph->nreleases; r++)
		wide_multiply(counting->product, counting->graph->side[r].size[node[r]]);
	wide_add(counting->cliques, counting->product);
	return true;
}

static uint64
count_edges(const JoinGraph *graph, const JoinPair *pair, uint64 before)
{
	uint64		n = before;

	for (uint32 e = 0; e < pair->nedges; e++)
	{
		uint64		more = (uint64) graph->side[pair->a].size[pair->from[e]] * graph->side[pair->b].size[pair->to[e]];

		if (!pair->alive[e])
			continue;
		if (more > PG_INT64_MAX - n)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("releases have too many edges to count")));
		n += more;
	}
	return n;
}

JoinCounts
join_count(const JoinGraph *graph)
{
	JoinCounts	counts = {0};
	Counting	counting = {.graph = graph};
	CliqueWalk	walk = {.graph = graph,.visit = count_clique,.arg = &counting};

	for (int32 r = 0; r < graph->nreleases; r++)
		counts.nodes += graph->side[r].nnodes;
	for (Size p = 0; p < npairs(graph); p++)
		counts.edges = count_edges(graph, &graph->pair[p], counts.edges);
	counting.cliques = counts.cliques = wide_create(1, limbs_of(graph));
	counting.product = wide_create(1, limbs_of(graph));
	walk.node = palloc(sizeof(uint32) * graph->nreleases);
	(void) walk_cliques(&walk);
	pfree(walk.node);
	wide_free(counting.product);
	return counts;
}

/* ----------------------------------------------------------------
 * The records that are consistent with a tuple
 * ----------------------------------------------------------------
 */

/* A release, as a tuple meets it */
typedef struct Meeting
{
	int32		ncolumns;
	int32	   *column;			/* [ncolumns] quasi-identifiers that are shown */
	Boxes	   *boxes;			/* of pieces */

	/* What the tuple at hand meets */
	uint32	   *piece;			/* [pieces] */
	uint32		npieces;
	uint32	   *node;			/* [nodes] */
	uint32		nnodes;
	uint32	   *weight;			/* [nodes] records; 0 for those that it does not meet */

	bool	   *shows;			/* [nodes] the sensitive value of its records, or of some of them */
	Wide	   *told;			/* [nodes] cliques of records of others whose value a record of it tells */
} Meeting;

typedef struct Profiling
{
	const JoinGraph *graph;
	const JoinTuples *tuples;
	LinkProfile *profile;
	bool		with_values;
	uint64		room;			/* for values */

	Meeting    *meeting;		/* [releases] */
	uint32	  **only;			/* [releases] the meetings' nodes */
	uint32	   *nonly;			/* [releases] */
	Span	   *box;			/* [qis] */
	uint32	   *node;			/* [releases] */

	/* By value; after all codes, "not shown" */
	Wide	   *cliques;		/* [values + 1] */
	Code	   *value;			/* [values + 1] of which there are cliques */
	uint32		nvalues;
	Wide	   *product;
	Wide	   *total;
} Profiling;

/* Does a record of the node tell a clique's value? */
static bool
shows_value(const JoinGraph *graph, int32 r, uint32 node)
{
	const JoinSide *side = &graph->side[r];

	return side->cells[graph->sensitive] != NULL &&
		(!side->shared[graph->sensitive] ||
		 graph->input->release[r].sensitive[side->record[node]] != NO_CODE);
}

static void
prepare_meeting(Profiling *profiling, int32 r)
{
	const JoinGraph *graph = profiling->graph;
	const JoinSide *side = &graph->side[r];
	Meeting    *meeting = &profiling->meeting[r];
	const Span **cells = allocate(sizeof(Span *), graph->input->nqis);
	uint32	   *record = allocate(sizeof(uint32), side->npieces);

	meeting->column = allocate(sizeof(int32), graph->input->nqis);
	for (int32 c = 0; c < graph->input->nqis; c++)
		if (side->cells[c] != NULL)
		{
			meeting->column[meeting->ncolumns] = c;
			cells[meeting->ncolumns++] = side->cells[c];
		}
	for (uint32 p = 0; p < side->npieces; p++)
		record[p] = side->piece[p].record;
	meeting->boxes = boxes_index(side->npieces, record, meeting->ncolumns, cells);
	meeting->piece = allocate(sizeof(uint32), side->npieces);
	meeting->node = profiling->only[r] = allocate(sizeof(uint32), side->nnodes);
	meeting->weight = allocate(sizeof(uint32), side->nnodes);
	meeting->shows = allocate(sizeof(bool), side->nnodes);
	meeting->told = wide_create(side->nnodes, limbs_of(graph));
	for (uint32 v = 0; v < side->nnodes; v++)
		meeting->shows[v] = shows_value(graph, r, v);
}

static void
meet(Profiling *profiling, int32 r, uint32 tuple)
{
	const JoinSide *side = &profiling->graph->side[r];
	Meeting    *meeting = &profiling->meeting[r];

	for (uint32 i = 0; i < meeting->nnodes; i++)
		meeting->weight[meeting->node[i]] = 0;
	meeting->nnodes = 0;
	for (int32 c = 0; c < meeting->ncolumns; c++)
		profiling->box[c] = span_of(profiling->tuples->code[meeting->column[c]][tuple]);
	meeting->npieces = boxes_meeting(meeting->boxes, profiling->box, meeting->piece);
	for (uint32 i = 0; i < meeting->npieces; i++)
	{
		const Piece *piece = &side->piece[meeting->piece[i]];

		if (meeting->weight[piece->node] == 0)
		{
			meeting->node[meeting->nnodes++] = piece->node;
			wide_set(&meeting->told[piece->node], 0);
		}
		meeting->weight[piece->node] += piece->nrecords;
	}
	profiling->nonly[r] = meeting->nnodes;
}

/* ----------------------------------------------------------------
 * What they tell
 * ----------------------------------------------------------------
 */

static void
add_cliques(Profiling *profiling, Code code, const Wide *cliques)
{
	Code		value = code == NO_CODE ? profiling->graph->input->nvalues : code;

	if (code == profiling->graph->input->null_value && code != NO_CODE)
		return;
	if (wide_is_zero(&profiling->cliques[value]))
		profiling->value[profiling->nvalues++] = value;
	wide_add(&profiling->cliques[value], cliques);
}

/* Adds a clique to what the first of its nodes tells that shows a value. */
static bool
hear(void *arg, const uint32 *node)
{
	Profiling  *profiling = arg;
	int32		nreleases = profiling->graph->nreleases;
	int32		teller = 0;

	while (teller < nreleases && !profiling->meeting[teller].shows[node[teller]])
		teller++;
	wide_set(profiling->product, 1);
	for (int32 r = 0; r < nreleases; r++)
		if (r != teller)
			wide_multiply(profiling->product, profiling->meeting[r].weight[node[r]]);
	if (teller == nreleases)
		add_cliques(profiling, NO_CODE, profiling->product);
	else
		wide_add(&profiling->meeting[teller].told[node[teller]], profiling->product);
	return true;
}

/* Shares out what the nodes of a release tell among their pieces. */
static bool
share_out(Profiling *profiling, int32 r)
{
	const JoinSide *side = &profiling->graph->side[r];
	const Meeting *meeting = &profiling->meeting[r];
	const Code *sensitive = profiling->graph->input->release[r].sensitive;
	bool		any = false;

	for (uint32 i = 0; i < meeting->npieces; i++)
	{
		const Piece *piece = &side->piece[meeting->piece[i]];

		if (wide_is_zero(&meeting->told[piece->node]))
			continue;
		wide_set(profiling->product, 0);
		wide_add(profiling->product, &meeting->told[piece->node]);
		wide_multiply(profiling->product, piece->nrecords);
		add_cliques(profiling, sensitive[piece->record], profiling->product);
		any = true;
	}
	return any;
}

static int
compare_codes(const void *a, const void *b)
{
	Code		x = *(const Code *) a;
	Code		y = *(const Code *) b;

	return x < y ? -1 : x > y;
}

/* Makes room for so many more values of a tuple. */
static void
make_room(Profiling *profiling, uint32 tuple, uint64 more)
{
	LinkProfile *profile = profiling->profile;

	if (profile->first[tuple] + more <= profiling->room)
		return;
	profiling->room = Max(profiling->room * 2, profile->first[tuple] + more);
	profile->value = repalloc_huge(profile->value, sizeof(Code) * profiling->room);
	profile->frequency = repalloc_huge(profile->frequency, sizeof(double) * profiling->room);
}

/* Writes down the values and frequencies of a tuple. */
static void
keep_values(Profiling *profiling, uint32 tuple)
{
	LinkProfile *profile = profiling->profile;
	uint64		n = profile->first[tuple];

	make_room(profiling, tuple, profiling->nvalues);
	qsort(profiling->value, profiling->nvalues, sizeof(Code), compare_codes);
	for (uint32 i = 0; i < profiling->nvalues; i++, n++)
	{
		Code		value = profiling->value[i];

		profile->value[n] = value == profiling->graph->input->nvalues ? NO_CODE : value;
		profile->frequency[n] = wide_ratio(&profiling->cliques[value], profiling->total);
	}
	profile->first[tuple + 1] = n;
}

/* Judges a tuple by the values that were heard, and forgets them. */
static void
judge(Profiling *profiling, uint32 tuple)
{
	LinkProfile *profile = profiling->profile;
	const Wide *most = NULL;

	wide_set(profiling->total, 0);
	for (uint32 i = 0; i < profiling->nvalues; i++)
	{
		const Wide *cliques = &profiling->cliques[profiling->value[i]];

		wide_add(profiling->total, cliques);
		if (most == NULL || wide_compare(cliques, most) > 0)
			most = cliques;
	}
	profile->linkability[tuple] = profiling->nvalues;
	profile->diversity[tuple] = most == NULL ? 0 : wide_ratio(profiling->total, most);
	if (profiling->with_values)
		keep_values(profiling, tuple);
	for (uint32 i = 0; i < profiling->nvalues; i++)
		wide_set(&profiling->cliques[profiling->value[i]], 0);
	profiling->nvalues = 0;
}

static void
profile_tuple(Profiling *profiling, uint32 tuple)
{
	CliqueWalk	walk = {
		.graph = profiling->graph,.visit = hear,.arg = profiling,
		.only = (const uint32 *const *) profiling->only,.nonly = profiling->nonly,
		.node = profiling->node
	};
	bool		any;

	for (int32 r = 0; r < profiling->graph->nreleases; r++)
		meet(profiling, r, tuple);
	(void) walk_cliques(&walk);
	any = profiling->nvalues > 0;
	for (int32 r = 0; r < profiling->graph->nreleases; r++)
		any |= share_out(profiling, r);
	judge(profiling, tuple);
	if (!any)
		profiling->profile->linkability[tuple] = NO_CLIQUE;
}

/* ----------------------------------------------------------------
 * All tuples
 * ----------------------------------------------------------------
 */

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
part_tuples(const JoinGraph *graph, const JoinTuples *tuples)
{
	Parting		parting = parting_create(tuples->ntuples);
	Span	   *cells = allocate(sizeof(Span), tuples->ntuples);

	for (int32 c = 0; c < graph->input->nqis; c++)
	{
		if (!is_shown(graph, c))
			continue;
		for (uint32 t = 0; t < tuples->ntuples; t++)
			cells[t] = span_of(tuples->code[c][t]);
		part_by(&parting, cells);
	}
	pfree(cells);
	return parting;
}

/* A tuple like one before it has the same values. */
static void
copy_tuple(Profiling *profiling, uint32 from, uint32 to)
{
	LinkProfile *profile = profiling->profile;
	uint64		n;

	profile->linkability[to] = profile->linkability[from];
	profile->diversity[to] = profile->diversity[from];
	if (!profiling->with_values)
		return;
	n = profile->first[from + 1] - profile->first[from];
	make_room(profiling, to, n);
	memcpy(&profile->value[profile->first[to]], &profile->value[profile->first[from]], sizeof(Code) * n);
	memcpy(&profile->frequency[profile->first[to]], &profile->frequency[profile->first[from]], sizeof(double) * n);
	profile->first[to + 1] = profile->first[to] + n;
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
		{
			profile->least_diversity = profile->diversity[t];
			profile->least_diverse = t;
		}
		if (profile->linkability[t] < profile->least_linkability)
		{
			profile->least_linkability = profile->linkability[t];
			profile->least_linked = t;
		}
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
	Size		nvalues = (Size) graph->input->nvalues + 1;

	profiling->profile = create_profile(profiling);
	profiling->meeting = allocate(sizeof(Meeting), graph->nreleases);
	profiling->only = allocate(sizeof(uint32 *), graph->nreleases);
	profiling->nonly = allocate(sizeof(uint32), graph->nreleases);
	profiling->box = allocate(sizeof(Span), graph->input->nqis);
	profiling->node = allocate(sizeof(uint32), graph->nreleases);
	profiling->cliques = wide_create(nvalues, limbs_of(graph));
	profiling->value = allocate(sizeof(Code), nvalues);
	profiling->product = wide_create(1, limbs_of(graph));
	profiling->total = wide_create(1, limbs_of(graph));
	for (int32 r = 0; r < graph->nreleases; r++)
		prepare_meeting(profiling, r);
}

LinkProfile *
link_profile(const JoinGraph *graph, const JoinTuples *tuples, bool with_values)
{
	Profiling	profiling = {.graph = graph,.tuples = tuples,.with_values = with_values};
	Parting		parting;
	uint32	   *first_like;		/* [parts] tuple */
	uint32		nparts = 0;

	if (!is_shown(graph, graph->sensitive))
		return NULL;
	prepare(&profiling);
	parting = part_tuples(graph, tuples);
	first_like = allocate(sizeof(uint32), parting.nparts);
	for (uint32 t = 0; t < tuples->ntuples; t++)
	{
		CHECK_FOR_INTERRUPTS();
		if (parting.part[t] < nparts)
		{
			copy_tuple(&profiling, first_like[parting.part[t]], t);
			continue;
		}
		first_like[nparts++] = t;
		profile_tuple(&profiling, t);
	}
	find_least(profiling.profile, tuples->ntuples);
	parting_free(&parting);
	pfree(first_like);
	return profiling.profile;
}

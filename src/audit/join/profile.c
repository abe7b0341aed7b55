/*
 * profile.c
 *		What the cliques of a join tell of each tuple.
 *
 * NOTES
 *		For each tuple, a release's nodes weigh as many records as are consistent
 *		with it.  A clique's value is told by the first of its nodes that shows one.
 *		If other releases show it, too, all records of that node show the same; if
 *		not, they may show several, so the cliques that a node tells of are added
 *		up first, and divided among the values of the node afterwards.
 *
 *		What a release's nodes weigh depends on the columns that it shows.  Tuples
 *		are sorted, so that those that agree in them come together in the releases
 *		that have most pieces, and mostly nothing need be looked for again.
 */
#include "postgres.h"

#include "audit/join/boxes.h"
#include "audit/join/counts.h"
#include "audit/join/fans.h"
#include "audit/join/parting.h"
#include "audit/join/profile.h"
#include "miscadmin.h"
#include "utils/memutils.h"

static void *
allocate(Size width, Size n)
{
	return palloc_extended(width * (n + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* ----------------------------------------------------------------
 * The records that are consistent with a tuple
 * ----------------------------------------------------------------
 */

/* Records of a node that show the same value */
typedef struct Share
{
	uint32		node;
	Code		value;			/* or NO_CODE */
} Share;

/* A release, as a tuple meets it */
typedef struct Meeting
{
	int32		ncolumns;
	int32	   *column;			/* [ncolumns] quasi-identifiers that are shown */
	Parting		alike;			/* tuples, by these columns */
	Boxes	   *boxes;			/* of pieces */
	bool		tells;			/* the sensitive column is shown */
	bool	   *shows;			/* [nodes] the sensitive value of its records, or of some of them */
	Code	   *value;			/* [nodes] which one, if it is shared; or NULL */
	uint32	   *share_of;		/* [pieces] */
	Share	   *share;			/* [shares] */

	/* What the tuple at hand meets */
	uint32		part;			/* of tuples that are alike; NO_TUPLE for none yet */
	uint32	   *piece;			/* [pieces] */
	uint32	   *node;			/* [nodes] by value, if it is shared */
	uint32		nnodes;
	uint32	   *weight;			/* [nodes] records; 0 for those that it does not meet */
	uint32	   *met;			/* [shares] */
	uint32		nmet;
	uint32	   *share_weight;	/* [shares] */
	Wide	   *told;			/* [nodes] cliques of records of others whose value a record of it tells */
} Meeting;

#define NO_TUPLE PG_UINT32_MAX

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
	const uint32 **only;		/* [releases] nodes at hand */
	uint32	   *nonly;			/* [releases] */
	Span	   *box;			/* [qis] */
	FanWalk    *walk;

	/* By value; after all codes, "not shown" */
	Wide	   *cliques;		/* [values + 1] */
	bool	   *heard;			/* [values + 1] */
	Code	   *value;			/* [values + 1] those that were heard */
	uint32		nvalues;
	bool		any;			/* clique was heard of, if only of a NULL */
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

/* Parts tuples by columns. */
static Parting
part_tuples(const JoinTuples *tuples, const int32 *column, int32 ncolumns)
{
	Parting		parting = parting_create(tuples->ntuples);
	Span	   *cells = allocate(sizeof(Span), tuples->ntuples);

	for (int32 c = 0; c < ncolumns; c++)
	{
		for (uint32 t = 0; t < tuples->ntuples; t++)
			cells[t] = span_of(tuples->code[column[c]][t]);
		part_by(&parting, cells);
	}
	pfree(cells);
	return parting;
}

/* Parts pieces by node and value. */
static void
find_shares(const JoinGraph *graph, int32 r, Meeting *meeting)
{
	const JoinSide *side = &graph->side[r];
	const Code *sensitive = graph->input->release[r].sensitive;
	Parting		parting = parting_create(side->npieces);
	Span	   *nodes = allocate(sizeof(Span), side->npieces);
	Span	   *values = allocate(sizeof(Span), side->npieces);

	for (uint32 p = 0; p < side->npieces; p++)
	{
		nodes[p] = span_of(side->piece[p].node);
		values[p] = span_of(sensitive[side->piece[p].record]);
	}
	part_by(&parting, nodes);
	part_by(&parting, values);
	meeting->share_of = parting.part;
	meeting->share = allocate(sizeof(Share), parting.nparts);
	for (uint32 p = 0; p < side->npieces; p++)
		meeting->share[parting.part[p]] = (Share) {.node = nodes[p].lo,.value = values[p].lo};
	meeting->met = allocate(sizeof(uint32), parting.nparts);
	meeting->share_weight = allocate(sizeof(uint32), parting.nparts);
	pfree(nodes);
	pfree(values);
}

static void
index_pieces(const JoinGraph *graph, int32 r, Meeting *meeting)
{
	const JoinSide *side = &graph->side[r];
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
}

static void
prepare_meeting(Profiling *profiling, int32 r)
{
	const JoinGraph *graph = profiling->graph;
	const JoinSide *side = &graph->side[r];
	Meeting    *meeting = &profiling->meeting[r];

	meeting->part = NO_TUPLE;
	index_pieces(graph, r, meeting);
	meeting->alike = part_tuples(profiling->tuples, meeting->column, meeting->ncolumns);
	meeting->tells = side->cells[graph->sensitive] != NULL;
	meeting->node = allocate(sizeof(uint32), side->nnodes);
	meeting->weight = allocate(sizeof(uint32), side->nnodes);
	meeting->shows = allocate(sizeof(bool), side->nnodes);
	for (uint32 v = 0; v < side->nnodes; v++)
		meeting->shows[v] = shows_value(graph, r, v);
	if (!meeting->tells)
		return;
	find_shares(graph, r, meeting);
	meeting->told = wide_create(side->nnodes, join_limbs(graph));
	if (!side->shared[graph->sensitive])
		return;
	meeting->value = allocate(sizeof(Code), side->nnodes);
	for (uint32 v = 0; v < side->nnodes; v++)
		meeting->value[v] = graph->input->release[r].sensitive[side->record[v]];
}

static void
meet_piece(const JoinSide *side, Meeting *meeting, uint32 p)
{
	const Piece *piece = &side->piece[p];

	if (meeting->weight[piece->node] == 0)
		meeting->node[meeting->nnodes++] = piece->node;
	meeting->weight[piece->node] += piece->nrecords;
	if (!meeting->tells)
		return;
	if (meeting->share_weight[meeting->share_of[p]] == 0)
		meeting->met[meeting->nmet++] = meeting->share_of[p];
	meeting->share_weight[meeting->share_of[p]] += piece->nrecords;
}

static int
compare_values(const void *a, const void *b, void *arg)
{
	const Meeting *meeting = arg;
	Code		x = meeting->value[*(const uint32 *) a];
	Code		y = meeting->value[*(const uint32 *) b];

	return x < y ? -1 : x > y;
}

static void
part_from(Meeting *meeting)
{
	for (uint32 i = 0; i < meeting->nnodes; i++)
		meeting->weight[meeting->node[i]] = 0;
	for (uint32 i = 0; i < meeting->nmet; i++)
		meeting->share_weight[meeting->met[i]] = 0;
	meeting->nnodes = meeting->nmet = 0;
}

static void
meet(Profiling *profiling, int32 r, uint32 tuple)
{
	Meeting    *meeting = &profiling->meeting[r];
	uint32		npieces;

	if (meeting->part == meeting->alike.part[tuple])
		return;
	meeting->part = meeting->alike.part[tuple];
	part_from(meeting);
	for (int32 c = 0; c < meeting->ncolumns; c++)
		profiling->box[c] = span_of(profiling->tuples->code[meeting->column[c]][tuple]);
	npieces = boxes_meeting(meeting->boxes, profiling->box, meeting->piece);
	for (uint32 i = 0; i < npieces; i++)
		meet_piece(&profiling->graph->side[r], meeting, meeting->piece[i]);
	if (meeting->value != NULL)
		qsort_arg(meeting->node, meeting->nnodes, sizeof(uint32), compare_values, meeting);
}

/* ----------------------------------------------------------------
 * What they tell
 * ----------------------------------------------------------------
 */

static void
add_cliques(Profiling *profiling, Code code, const Wide *cliques, uint32 times)
{
	Code		value = code == NO_CODE ? profiling->graph->input->nvalues : code;

	profiling->any = true;
	if (code == profiling->graph->input->null_value && code != NO_CODE)
		return;
	if (!profiling->heard[value])
		profiling->value[profiling->nvalues++] = value;
	profiling->heard[value] = true;
	wide_add_multiple(&profiling->cliques[value], cliques, times);
}

/* Has a node of release r tell the value of so many cliques of records of the other releases. */
static inline void
tell(Profiling *profiling, int32 r, uint32 node, const Wide *cliques, uint32 times)
{
	wide_add_multiple(&profiling->meeting[r].told[node], cliques, times);
}

/* Adds the cliques of a fan to what the first of their nodes tells that shows a value. */
static void
hear(void *arg, const uint32 *node, const uint32 *last, uint32 nlast)
{
	Profiling  *profiling = arg;
	int32		end = profiling->graph->nreleases - 1;
	const Meeting *meeting = &profiling->meeting[end];
	int32		teller = 0;
	uint32		weight = 0;		/* of all last nodes that do not tell */

	while (teller < end && !profiling->meeting[teller].shows[node[teller]])
		teller++;
	wide_set(profiling->product, 1);
	for (int32 r = 0; r < end; r++)
		if (r != teller)
			wide_multiply(profiling->product, profiling->meeting[r].weight[node[r]]);
	for (uint32 i = 0; i < nlast; i++)
		if (teller == end && meeting->shows[last[i]])
			tell(profiling, end, last[i], profiling->product, 1);
		else
			weight += meeting->weight[last[i]];
	if (teller < end)
		tell(profiling, teller, node[teller], profiling->product, weight);
	else if (weight > 0)
		add_cliques(profiling, NO_CODE, profiling->product, weight);
}

/* Divides what the nodes of a release tell among their values, and forgets it. */
static void
divide(Profiling *profiling, int32 r)
{
	const Meeting *meeting = &profiling->meeting[r];

	for (uint32 i = 0; i < meeting->nmet; i++)
	{
		const Share *share = &meeting->share[meeting->met[i]];
		const Wide *told = &meeting->told[share->node];

		if (!wide_is_zero(told))
			add_cliques(profiling, share->value, told, meeting->share_weight[meeting->met[i]]);
	}
	for (uint32 i = 0; meeting->tells && i < meeting->nnodes; i++)
		wide_set(&meeting->told[meeting->node[i]], 0);
}

/* ----------------------------------------------------------------
 * Cliques
 * ----------------------------------------------------------------
 */

/* The first of a meeting's nodes, which stand by value, that shows no less. */
static uint32
first_of_value(const Meeting *meeting, Code value)
{
	uint32		low = 0;
	uint32		high = meeting->nnodes;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (meeting->value[meeting->node[middle]] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
take_all(Profiling *profiling)
{
	for (int32 r = 0; r < profiling->graph->nreleases; r++)
	{
		profiling->only[r] = profiling->meeting[r].node;
		profiling->nonly[r] = profiling->meeting[r].nnodes;
	}
}

/* Of each release that shows a value, takes the nodes that show this one; false if one has none. */
static bool
take_value(Profiling *profiling, Code value)
{
	for (int32 r = 0; r < profiling->graph->nreleases; r++)
	{
		const Meeting *meeting = &profiling->meeting[r];
		uint32		first;

		if (meeting->value == NULL)
			continue;
		first = first_of_value(meeting, value);
		profiling->only[r] = &meeting->node[first];
		profiling->nonly[r] = first_of_value(meeting, value + 1) - first;
		if (profiling->nonly[r] == 0)
			return false;
	}
	return true;
}

/* A release that shares the sensitive column with another, if all nodes at hand show it; or NULL. */
static const Meeting *
find_teller(const Profiling *profiling)
{
	const Meeting *teller = NULL;

	for (int32 r = 0; r < profiling->graph->nreleases; r++)
	{
		const Meeting *meeting = &profiling->meeting[r];

		if (meeting->value == NULL || meeting->nnodes == 0)
			continue;
		if (meeting->value[meeting->node[meeting->nnodes - 1]] == NO_CODE)
			return NULL;
		teller = meeting;
	}
	return teller;
}

/* Hears all cliques of nodes at hand: value by value, if cliques have one each. */
static void
hear_cliques(Profiling *profiling)
{
	const Meeting *teller = find_teller(profiling);

	take_all(profiling);
	if (teller == NULL)
	{
		walk_fans(profiling->walk, profiling->only, profiling->nonly);
		return;
	}
	for (uint32 i = 0; i < teller->nnodes;)
	{
		Code		value = teller->value[teller->node[i]];

		if (take_value(profiling, value))
			walk_fans(profiling->walk, profiling->only, profiling->nonly);
		i = first_of_value(teller, value + 1);
	}
}

/* ----------------------------------------------------------------
 * Tuples
 * ----------------------------------------------------------------
 */

static int
compare_codes(const void *a, const void *b)
{
	Code		x = *(const Code *) a;
	Code		y = *(const Code *) b;

	return x < y ? -1 : x > y;
}

/* Writes down the values and frequencies of a tuple. */
static void
keep_values(Profiling *profiling, uint32 tuple)
{
	LinkProfile *profile = profiling->profile;
	uint64		n = profile->first[tuple] = profiling->nkept;

	profiling->nkept += profiling->nvalues;
	if (profiling->nkept > profiling->room)
	{
		profiling->room = Max(profiling->room * 2, profiling->nkept);
		profile->value = repalloc_huge(profile->value, sizeof(Code) * profiling->room);
		profile->frequency = repalloc_huge(profile->frequency, sizeof(double) * profiling->room);
	}
	qsort(profiling->value, profiling->nvalues, sizeof(Code), compare_codes);
	for (uint32 i = 0; i < profiling->nvalues; i++, n++)
	{
		Code		value = profiling->value[i];

		profile->value[n] = value == profiling->graph->input->nvalues ? NO_CODE : value;
		profile->frequency[n] = wide_ratio(&profiling->cliques[value], profiling->total);
	}
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
	if (!profiling->any)
		profile->linkability[tuple] = NO_CLIQUE;
	for (uint32 i = 0; i < profiling->nvalues; i++)
	{
		wide_set(&profiling->cliques[profiling->value[i]], 0);
		profiling->heard[profiling->value[i]] = false;
	}
	profiling->nvalues = 0;
	profiling->any = false;
}

static void
profile_tuple(Profiling *profiling, uint32 tuple)
{
	for (int32 r = 0; r < profiling->graph->nreleases; r++)
		meet(profiling, r, tuple);
	hear_cliques(profiling);
	for (int32 r = 0; r < profiling->graph->nreleases; r++)
		divide(profiling, r);
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
	profiling->release = allocate(sizeof(int32), graph->nreleases);
	profiling->only = allocate(sizeof(uint32 *), graph->nreleases);
	profiling->nonly = allocate(sizeof(uint32), graph->nreleases);
	profiling->box = allocate(sizeof(Span), graph->input->nqis);
	profiling->walk = fans_create(graph, hear, profiling);
	profiling->cliques = wide_create(nvalues, join_limbs(graph));
	profiling->heard = allocate(sizeof(bool), nvalues);
	profiling->value = allocate(sizeof(Code), nvalues);
	profiling->product = wide_create(1, join_limbs(graph));
	profiling->total = wide_create(1, join_limbs(graph));
	for (int32 r = 0; r < graph->nreleases; r++)
	{
		profiling->release[r] = r;
		prepare_meeting(profiling, r);
	}
	qsort_arg(profiling->release, graph->nreleases, sizeof(int32), compare_releases, (void *) graph);
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

/*
 * records.c
 *		Match joins as the paper computes them.
 */
#include "postgres.h"

#include "records.h"
#include "utils/memutils.h"

typedef struct Records
{
	const JoinInput *input;
	int32		nreleases;
	uint32		n;				/* of each release, in the order of people */
	uint32	  **order;			/* [releases][n] record of each person */
	uint8	   *edge;			/* [pairs][n][n] */
	uint32	   *clique;			/* [ncliques][releases] */
	uint64		ncliques;
	uint64		room;
} Records;

static void *
allocate(Size width, Size n)
{
	return palloc_extended(width * (n + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

static inline uint8 *
edge_at(const Records *records, int32 a, int32 b, uint32 i, uint32 j)
{
	return a < b ? &records->edge[(pair_number(a, b) * records->n + i) * records->n + j] :
		&records->edge[(pair_number(b, a) * records->n + j) * records->n + i];
}

static bool
is_consistent(const Records *records, int32 a, uint32 i, int32 b, uint32 j)
{
	const JoinRelease *x = &records->input->release[a];
	const JoinRelease *y = &records->input->release[b];
	uint32		k = records->order[a][i];
	uint32		l = records->order[b][j];

	for (int32 c = 0; c < records->input->ncolumns; c++)
		if (x->cells[c] != NULL && y->cells[c] != NULL && !span_overlaps(x->cells[c][k], y->cells[c][l]))
			return false;
	return x->sensitive == NULL || y->sensitive == NULL || x->sensitive[k] == y->sensitive[l];
}

static uint64
count_edges(const Records *records)
{
	Size		all = pair_number(0, records->nreleases) * records->n * records->n;
	uint64		n = 0;

	for (Size e = 0; e < all; e++)
		n += records->edge[e];
	return n;
}

/* ----------------------------------------------------------------
 * Matches of two releases: person i's records are the known perfect matching
 * ----------------------------------------------------------------
 */

typedef struct Tarjan
{
	const Records *records;
	int32		a;
	int32		b;
	uint32		nseen;
	uint32		ncomponents;
	uint32	   *seen;			/* [n] 0 for not yet */
	uint32	   *low;
	uint32	   *component;		/* [n] 0 while open */
	uint32	   *next;
	uint32	   *path;
	uint32	   *open;
	uint32		nopen;
} Tarjan;

/* From person i one may go to person j if i's record of a may be joined to j's of b. */
static void
visit(Tarjan *t, uint32 start)
{
	uint32		length = 0;

	t->path[length++] = start;
	t->seen[start] = t->low[start] = ++t->nseen;
	t->open[t->nopen++] = start;
	while (length > 0)
	{
		uint32		v = t->path[length - 1];
		uint32		w = t->next[v]++;

		if (w < t->records->n)
		{
			if (!*edge_at(t->records, t->a, t->b, v, w))
				continue;
			if (t->seen[w] == 0)
			{
				t->seen[w] = t->low[w] = ++t->nseen;
				t->open[t->nopen++] = w;
				t->path[length++] = w;
			}
			else if (t->component[w] == 0)
				t->low[v] = Min(t->low[v], t->seen[w]);
			continue;
		}
		length--;
		if (length > 0)
			t->low[t->path[length - 1]] = Min(t->low[t->path[length - 1]], t->low[v]);
		if (t->low[v] < t->seen[v])
			continue;
		t->ncomponents++;
		do
			w = t->open[--t->nopen];
		while (t->component[w] = t->ncomponents, w != v);
	}
}

static void
drop_no_matches(const Records *records, int32 a, int32 b)
{
	uint32		n = records->n;
	Tarjan		t = {.records = records,.a = a,.b = b};

	t.seen = allocate(sizeof(uint32), n);
	t.low = allocate(sizeof(uint32), n);
	t.component = allocate(sizeof(uint32), n);
	t.next = allocate(sizeof(uint32), n);
	t.path = allocate(sizeof(uint32), n);
	t.open = allocate(sizeof(uint32), n);
	for (uint32 v = 0; v < n; v++)
		if (t.seen[v] == 0)
			visit(&t, v);
	for (uint32 i = 0; i < n; i++)
		for (uint32 j = 0; j < n; j++)
			*edge_at(records, a, b, i, j) &= t.component[i] == t.component[j];
	pfree(t.seen);
	pfree(t.low);
	pfree(t.component);
	pfree(t.next);
	pfree(t.path);
	pfree(t.open);
}

/* ----------------------------------------------------------------
 * Cliques: algorithm 1
 * ----------------------------------------------------------------
 */

static void
add_clique(Records *records, uint32 *to, uint64 *n, const uint32 *before, int32 r, uint32 i)
{
	memcpy(&to[*n * records->nreleases], before, sizeof(uint32) * r);
	to[(*n)++ * records->nreleases + r] = i;
}

static bool
fits(const Records *records, const uint32 *clique, int32 r, uint32 i)
{
	for (int32 s = 0; s < r; s++)
		if (!*edge_at(records, s, r, clique[s], i))
			return false;
	return true;
}

/* Extends each clique of the first r releases by each record of the next. */
static void
extend(Records *records, int32 r)
{
	uint64		room = Max(records->ncliques * 2, 1024);
	uint32	   *longer = palloc_extended(sizeof(uint32) * room * records->nreleases, MCXT_ALLOC_HUGE);
	uint64		n = 0;

	for (uint64 c = 0; c < records->ncliques; c++)
		for (uint32 i = 0; i < records->n; i++)
		{
			const uint32 *before = &records->clique[c * records->nreleases];

			if (!fits(records, before, r, i))
				continue;
			if (n == room)
			{
				room *= 2;
				longer = repalloc_huge(longer, sizeof(uint32) * room * records->nreleases);
			}
			add_clique(records, longer, &n, before, r, i);
		}
	pfree(records->clique);
	records->clique = longer;
	records->ncliques = n;
}

static void
find_cliques(Records *records)
{
	records->ncliques = records->n;
	records->clique = palloc_extended(sizeof(uint32) * ((Size) records->n * records->nreleases + 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < records->n; i++)
		records->clique[(Size) i * records->nreleases] = i;
	for (int32 r = 1; r < records->nreleases; r++)
		extend(records, r);
}

static void
keep_edges_of_cliques(Records *records)
{
	memset(records->edge, 0, pair_number(0, records->nreleases) * records->n * records->n);
	for (uint64 c = 0; c < records->ncliques; c++)
		for (int32 b = 1; b < records->nreleases; b++)
			for (int32 a = 0; a < b; a++)
				*edge_at(records, a, b, records->clique[c * records->nreleases + a], records->clique[c * records->nreleases + b]) = true;
}

static void
find_kernel(Records *records, uint64 edges)
{
	for (uint64 before = 0; before != edges;)
	{
		before = edges;
		for (int32 b = 1; b < records->nreleases; b++)
			for (int32 a = 0; a < b; a++)
				drop_no_matches(records, a, b);
		find_cliques(records);
		keep_edges_of_cliques(records);
		edges = count_edges(records);
	}
}

/* ----------------------------------------------------------------
 * Linkability
 * ----------------------------------------------------------------
 */

static bool
covers(const Records *records, int32 r, uint32 i, const JoinTuples *tuples, uint32 t)
{
	const JoinRelease *release = &records->input->release[r];

	for (int32 c = 0; c < records->input->nqis; c++)
		if (release->cells[c] != NULL &&
			!span_contains(release->cells[c][records->order[r][i]], span_of(tuples->code[c][t])))
			return false;
	return true;
}

static Code
value_of(const Records *records, const uint32 *clique)
{
	for (int32 r = 0; r < records->nreleases; r++)
		if (records->input->release[r].sensitive != NULL)
			return records->input->release[r].sensitive[records->order[r][clique[r]]];
	return NO_CODE;
}

static void
judge_tuple(const Records *records, const JoinTuples *tuples, uint32 t, uint64 *heard, bool *covered, RecordFigures *figures)
{
	uint64		all = 0;
	uint64		most = 0;
	uint32		values = 0;

	memset(heard, 0, sizeof(uint64) * records->input->nvalues);
	for (int32 r = 0; r < records->nreleases; r++)
		for (uint32 i = 0; i < records->n; i++)
			covered[(Size) r * records->n + i] = covers(records, r, i, tuples, t);
	for (uint64 c = 0; c < records->ncliques; c++)
	{
		const uint32 *clique = &records->clique[c * records->nreleases];
		int32		r = 0;

		while (r < records->nreleases && covered[(Size) r * records->n + clique[r]])
			r++;
		if (r == records->nreleases)
			heard[value_of(records, clique)]++;
	}
	for (Code v = 0; v < records->input->nvalues; v++)
	{
		values += heard[v] > 0;
		all += heard[v];
		most = Max(most, heard[v]);
	}
	if (all == 0)
		return;
	figures->linkability = Min(figures->linkability, values);
	figures->diversity = Min(figures->diversity, (double) all / most);
}

RecordFigures
judge_records(const JoinInput *input, const JoinTuples *tuples)
{
	Records		records = {.input = input,.nreleases = input->nreleases,.n = input->release[0].nrecords};
	RecordFigures figures = {.linkability = PG_UINT32_MAX,.diversity = 1e300};
	uint64	   *heard = allocate(sizeof(uint64), input->nvalues);
	bool	   *covered = allocate(sizeof(bool), (Size) records.n * records.nreleases);

	records.order = allocate(sizeof(uint32 *), records.nreleases);
	for (int32 r = 0; r < records.nreleases; r++)
	{
		records.order[r] = allocate(sizeof(uint32), records.n);
		for (uint32 i = 0; i < records.n; i++)
			records.order[r][input->release[r].person[i]] = i;
	}
	records.edge = allocate(1, pair_number(0, records.nreleases) * records.n * records.n);
	for (int32 b = 1; b < records.nreleases; b++)
		for (int32 a = 0; a < b; a++)
			for (uint32 i = 0; i < records.n; i++)
				for (uint32 j = 0; j < records.n; j++)
					*edge_at(&records, a, b, i, j) = is_consistent(&records, a, i, b, j);
	figures.edges = count_edges(&records);
	find_kernel(&records, figures.edges);
	figures.matches = count_edges(&records);
	figures.cliques = records.ncliques;
	for (uint32 t = 0; t < tuples->ntuples; t++)
		judge_tuple(&records, tuples, t, heard, covered, &figures);
	return figures;
}

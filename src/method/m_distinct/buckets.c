/*
 * buckets.c
 *		Candidate update sets; buckets of people by what may be shown of them; and how
 *		many groups each bucket takes.
 *
 * NOTES
 *		A bucket splits into as many groups as no entry and no value has too many
 *		rows for, however rows are put into entries; what entries lack is invented.
 *		So the fewest groups mean the fewest counterfeits, and they are found by
 *		putting people into entries along augmenting paths, with one group more
 *		only where there is none (Hall).  Invented rows can always complete it:
 *		the entries have distinct representatives, so a matching that covers all
 *		entries and one that covers all people make one that covers both
 *		(Mendelsohn and Dulmage).
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "frame/domain.h"
#include "method/m_distinct/m_distinct.h"
#include "miscadmin.h"

/* ----------------------------------------------------------------
 * Sets of values, and values that represent them
 * ----------------------------------------------------------------
 */

SetId
set_find(Sets *sets, const Code *value, Code n)
{
	return tuple_number(sets->values, value, n);
}

Sets *
sets_create(const Updates *updates)
{
	Sets	   *sets = palloc0(sizeof(Sets));

	sets->updates = updates;
	sets->values = tuple_numbers_create(ANY_WIDTH);
	sets->of_value = new_array(SetId, updates->nvalues);
	for (Code v = 0; v < updates->nvalues; v++)
		sets->of_value[v] = updates_size(updates, v) == 0 ? NO_SET :
			set_find(sets, updates->to + updates->first[v], updates_size(updates, v));
	sets->component = updates_components(updates, &sets->ncomponents);
	return sets;
}

bool
set_has(const Sets *sets, SetId id, Code value)
{
	ValueSet	set = set_at(sets, id);

	return find_code(set.value, set.n, value) < set.n;
}

SetId
set_union(Sets *sets, SetId a, SetId b)
{
	ValueSet	x = set_at(sets, a);
	ValueSet	y = set_at(sets, b);
	Code	   *both = new_array(Code, (Size) x.n + y.n);
	Code		n = 0;
	SetId		result;

	for (Code i = 0, j = 0; i < x.n || j < y.n;)
	{
		bool		in_x = j == y.n || (i < x.n && x.value[i] <= y.value[j]);
		bool		in_y = i == x.n || (j < y.n && y.value[j] <= x.value[i]);

		both[n++] = in_x ? x.value[i] : y.value[j];
		i += in_x;
		j += in_y;
	}
	result = set_find(sets, both, n);
	pfree(both);
	return result;
}

bool
sets_apart(const Sets *sets, SetId a, SetId b)
{
	return sets->component[set_at(sets, a).value[0]] != sets->component[set_at(sets, b).value[0]];
}

typedef struct Representing
{
	const Sets *sets;
	const SetId *set;
	uint32		n;
	Code	   *value;
	bool	   *visited;		/* [n] */
} Representing;

/* Finds a value for a set, having others take other ones where need be. */
static bool
find_value(Representing *by, uint32 i)
{
	ValueSet	set = set_at(by->sets, by->set[i]);

	by->visited[i] = true;
	for (Code k = 0; k < set.n && k <= by->n; k++)	/* among so many, one is free */
	{
		uint32		taker = 0;

		while (taker < by->n && by->value[taker] != set.value[k])
			taker++;
		if (taker < by->n)
			continue;
		by->value[i] = set.value[k];
		return true;
	}
	for (uint32 j = 0; j < by->n; j++)
	{
		Code		value = by->value[j];

		if (value == NO_CODE || by->visited[j] || !set_has(by->sets, by->set[i], value))
			continue;
		if (find_value(by, j))
		{
			by->value[i] = value;
			return true;
		}
	}
	return false;
}

bool
represent(const Sets *sets, const SetId *set, uint32 n, Code *value)
{
	Representing by = {.sets = sets, .set = set, .n = n, .value = value};
	bool		all = true;

	by.visited = palloc(sizeof(bool) * (n + 1));
	for (uint32 i = 0; i < n && all; i++)
	{
		if (value[i] != NO_CODE)
			continue;
		memset(by.visited, 0, sizeof(bool) * n);
		all = find_value(&by, i);
	}
	pfree(by.visited);
	return all;
}

/* ----------------------------------------------------------------
 * Finding buckets
 * ----------------------------------------------------------------
 */

/* Makes a bucket of sorted entries, equal ones with a multiplicity. */
static void
add_bucket(Distinct *distinct, const SetId *sorted, uint32 n, bool is_mixed)
{
	Bucket	   *bucket;

	array_reserve(distinct->buckets, distinct->buckets_allocated, distinct->nbuckets + 1);
	bucket = &distinct->buckets[distinct->nbuckets++];
	*bucket = (Bucket) {.n = n};
	bucket->set = palloc(sizeof(SetId) * (n + 1));
	bucket->multiplicity = palloc(sizeof(uint32) * (n + 1));
	array_reserve(bucket->kinds, bucket->kinds_allocated, 4);	/* in the context of the bucket */
	for (uint32 i = 0; i < n; i++)
	{
		if (bucket->nentries > 0 && bucket->set[bucket->nentries - 1] == sorted[i])
		{
			bucket->multiplicity[bucket->nentries - 1]++;
			continue;
		}
		bucket->set[bucket->nentries] = sorted[i];
		bucket->multiplicity[bucket->nentries++] = 1;
	}
	bucket->is_mixed = is_mixed;
	bucket->is_apart = !is_mixed && bucket->nentries == n;
	for (uint32 e = 0; e < bucket->nentries && bucket->is_apart; e++)
		for (uint32 f = 0; f < e; f++)
			bucket->is_apart &= sets_apart(distinct->sets, bucket->set[e], bucket->set[f]);
}

/* The bucket with these entries, made when there is none. */
uint32
bucket_find(Distinct *distinct, const SetId *slots, uint32 n, bool is_mixed)
{
	SetId	   *sorted = memcpy(palloc(sizeof(SetId) * (n + 1)), slots, sizeof(SetId) * n);
	uint32		b;

	sort_codes(sorted, n);
	sorted[n] = NO_SET;
	b = tuple_number(distinct->making.signatures, sorted, is_mixed ? n + 1 : n);
	if (b == distinct->nbuckets)
		add_bucket(distinct, sorted, n, is_mixed);
	pfree(sorted);
	return b;
}

/* ----------------------------------------------------------------
 * People
 * ----------------------------------------------------------------
 */

void
kind_push(Distinct *distinct, Kind *kind, RowId row)
{
	distinct->next[row] = kind->head;
	kind->head = row;
	kind->count++;
}

Kind *
add_kind(Bucket *bucket, Code value)
{
	array_reserve(bucket->kinds, bucket->kinds_allocated, bucket->nkinds + 1);
	bucket->kinds[bucket->nkinds] = (Kind) {value, 0, NO_ROW};
	return &bucket->kinds[bucket->nkinds++];
}

/* ----------------------------------------------------------------
 * People in entries
 * ----------------------------------------------------------------
 */

/* How many rows more an entry may have. */
static inline uint64
room_in(const Placement *placement, uint32 entry)
{
	return (uint64) placement->bucket->multiplicity[entry] * placement->groups - placement->filled[entry];
}

static inline uint32 *
amount_in(const Placement *placement, uint32 kind, uint32 entry)
{
	return &placement->in[(Size) kind * placement->bucket->nentries + entry];
}

/* The nearest entry with room that rows of the kind can be made to free a place in, or nentries. */
static uint32
search_room(Placement *placement, uint32 kind)
{
	const Bucket *bucket = placement->bucket;
	uint32		head = 0;
	uint32		tail = 0;

	for (uint32 e = 0; e < bucket->nentries; e++)
	{
		placement->came_from[e] = PG_UINT32_MAX;
		if (!set_has(placement->sets, bucket->set[e], bucket->kinds[kind].value))
			continue;
		placement->came_from[e] = e;
		placement->by_kind[e] = kind;
		if (room_in(placement, e) > 0)
			return e;
		placement->queue[tail++] = e;
	}
	while (head < tail)
	{
		uint32		from = placement->queue[head++];

		for (uint32 to = 0; to < bucket->nentries; to++)
		{
			if (placement->came_from[to] != PG_UINT32_MAX)
				continue;
			for (uint32 k = 0; k < placement->nkinds; k++)
				if (*amount_in(placement, k, from) > 0 && set_has(placement->sets, bucket->set[to], bucket->kinds[k].value))
				{
					placement->came_from[to] = from;
					placement->by_kind[to] = k;
					break;
				}
			if (placement->came_from[to] == PG_UINT32_MAX)
				continue;
			if (room_in(placement, to) > 0)
				return to;
			placement->queue[tail++] = to;
		}
	}
	return bucket->nentries;
}

/* Places rows of a kind along the path that a search found; returns how many. */
static uint32
move_along(Placement *placement, uint32 kind, uint32 end, uint32 amount)
{
	amount = Min(amount, room_in(placement, end));
	for (uint32 e = end; placement->came_from[e] != e; e = placement->came_from[e])
		amount = Min(amount, *amount_in(placement, placement->by_kind[e], placement->came_from[e]));
	placement->filled[end] += amount;
	for (uint32 e = end;; e = placement->came_from[e])
	{
		*amount_in(placement, placement->by_kind[e], e) += amount;
		if (placement->came_from[e] == e)
			break;
		*amount_in(placement, placement->by_kind[e], placement->came_from[e]) -= amount;
	}
	return amount;
}

/* After a search in vain: the entries that it reached are full, and have all that can only be in them. */
static uint32
groups_wanted(const Placement *placement, uint32 missing)
{
	uint64		rows = missing;
	uint64		multiplicity = 0;

	for (uint32 e = 0; e < placement->bucket->nentries; e++)
	{
		if (placement->came_from[e] == PG_UINT32_MAX)
			continue;
		rows += placement->filled[e];
		multiplicity += placement->bucket->multiplicity[e];
	}
	if (multiplicity == 0)
		elog(ERROR, "a sensitive value has no entry in its bucket");
	return (rows + multiplicity - 1) / multiplicity;
}

/* Finds room for all rows of a kind, with as many more groups as it takes. */
static void
place(Placement *placement, uint32 kind)
{
	uint32		left = placement->bucket->kinds[kind].count;

	placement->nkinds++;
	while (left > 0)
	{
		uint32		end = search_room(placement, kind);
		uint32		wanted;

		if (end < placement->bucket->nentries)
		{
			left -= move_along(placement, kind, end, left);
			continue;
		}
		wanted = groups_wanted(placement, left);
		placement->groups = Max(placement->groups + 1, wanted);
	}
}

/* All rows of a bucket, in as few groups as will do. */
Placement *
place_bucket(const Distinct *distinct, const Bucket *bucket)
{
	Placement  *placement = palloc0(sizeof(Placement));
	Size		nentries = bucket->nentries;
	uint64		rows = 0;

	placement->sets = distinct->sets;
	placement->bucket = bucket;
	placement->in = new_zeros(uint32, bucket->nkinds * nentries);
	placement->filled = palloc0(sizeof(uint64) * nentries);
	placement->queue = palloc(sizeof(uint32) * nentries);
	placement->came_from = palloc(sizeof(uint32) * nentries);
	placement->by_kind = palloc(sizeof(uint32) * nentries);
	for (uint32 k = 0; k < bucket->nkinds; k++)
	{
		rows += bucket->kinds[k].count;
		placement->groups = Max(placement->groups, bucket->kinds[k].count);
	}
	placement->groups = Max(placement->groups, (rows + bucket->n - 1) / bucket->n);
	for (uint32 k = 0; k < bucket->nkinds; k++)
		place(placement, k);
	return placement;
}

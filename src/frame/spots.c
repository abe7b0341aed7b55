/*
 * spots.c
 *		Fetching rows from where they stood.
 *
 * NOTES
 *		No query is made: what the view and the table are is looked at, and found
 *		to be so simple that the rows of the one are those of the other.  Those
 *		who were asked for have been read through the view by then, under the same
 *		snapshot: so the owner may read these columns.
 */
#include "frame/spots.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "frame/arrays.h"
#include "frame/loading.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#define LINE_BITS	9
#define MAX_LINE	((1 << LINE_BITS) - 1)
#define MAX_PAGE	(PG_UINT32_MAX >> LINE_BITS)

StaticAssertDecl(MaxHeapTuplesPerPage <= MAX_LINE || BLCKSZ > 8192, "a line of a page does not fit into a spot");

Spot
spot_of(const ItemPointerData *tid)
{
	BlockNumber page = ItemPointerGetBlockNumber(tid);
	OffsetNumber line = ItemPointerGetOffsetNumber(tid);

	return page > MAX_PAGE || line > MAX_LINE ? NO_SPOT : page << LINE_BITS | line;
}

static inline BlockNumber
page_of(Spot spot)
{
	return spot >> LINE_BITS;
}

static inline OffsetNumber
line_of(Spot spot)
{
	return spot & MAX_LINE;
}

/* ----------------------------------------------------------------
 * Sources
 * ----------------------------------------------------------------
 */

/* Was it there when the snapshot was taken?  Rows from before may have a key twice, and are seen. */
static bool
is_seen(Relation index)
{
	return !XidInMVCCSnapshot(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data), GetActiveSnapshot());
}

/*
 * Does an index see to it that nobody's key occurs twice, as the publication
 * tells keys apart?  One that is deferrable leaves it to a trigger, which does
 * not fire on replicas.
 */
static bool
is_unique(Relation index, AttrNumber column, const DeclaredColumn *key)
{
	const FormData_pg_index *form = index->rd_index;

	return form->indisunique && form->indimmediate && form->indisvalid && is_seen(index) &&
		form->indnkeyatts == 1 && form->indkey.values[0] == column &&
		RelationGetIndexPredicate(index) == NIL &&
		index->rd_opfamily[0] == lookup_type_cache(key->type, TYPECACHE_BTREE_OPFAMILY)->btree_opf &&
		index->rd_indcollation[0] == key->collation;
}

static bool
has_unique_index(Relation table, AttrNumber column, const DeclaredColumn *key)
{
	bool		found = false;
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(table))
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);

		found |= is_unique(index, column, key);
		index_close(index, NoLock);
	}
	return found;
}

/* The columns of the table that a view shows as they are, or NULL. */
static AttrNumber *
shown_columns(const Query *query, int ncolumns)
{
	AttrNumber *columns = new_zeros(AttrNumber, ncolumns);
	ListCell   *cell;

	foreach(cell, query->targetList)
	{
		const TargetEntry *entry = lfirst(cell);

		if (entry->resjunk || entry->resno > ncolumns ||
			!IsA(entry->expr, Var) || ((const Var *) entry->expr)->varattno <= 0)
			return NULL;
		columns[entry->resno - 1] = ((const Var *) entry->expr)->varattno;
	}
	return list_length(query->targetList) == ncolumns ? columns : NULL;
}

/* The only table of a view that asks for nothing else, or NULL. */
static const RangeTblEntry *
only_table(Query *query)
{
	const RangeTblEntry *entry;

	if (query->jointree->quals != NULL || view_query_is_auto_updatable(query, false) != NULL)
		return NULL;
	entry = rt_fetch(linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex, query->rtable);
	return entry->relkind == RELKIND_RELATION ? entry : NULL;
}

/* Nobody's rows but those that stand in it, and no policy about who sees them. */
static bool
is_plain(Relation table, AttrNumber column, const DeclaredColumn *key)
{
	return table->rd_tableam == GetHeapamTableAmRoutine() &&
		!table->rd_rel->relhassubclass && !table->rd_rel->relrowsecurity &&
		has_unique_index(table, column, key);
}

PlainSource *
plain_source(const DeclaredPublication *publication, HeapPages *pages)
{
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);
	Relation	view = table_open(publication->pinned, AccessShareLock);
	PlainSource *source = palloc0(sizeof(PlainSource));
	Query	   *query = get_view_query(view);
	const RangeTblEntry *entry = only_table(query);
	Relation	table;
	bool		result = false;

	if (entry != NULL && (source->columns = shown_columns(query, publication->ncolumns)) != NULL)
	{
		source->table = entry->relid;
		source->key = source->columns[key - publication->columns];
		source->key_type = key->type;
		source->pages = pages;
		table = table_open(source->table, AccessShareLock);
		result = is_plain(table, source->key, key);
		table_close(table, NoLock);
	}
	table_close(view, NoLock);
	return result ? source : NULL;
}

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

/* Somebody who is looked for, and where. */
typedef struct Guess
{
	Spot		spot;
	uint32		person;
} Guess;

static int
compare_guesses(const void *a, const void *b)
{
	Spot		one = ((const Guess *) a)->spot;
	Spot		other = ((const Guess *) b)->spot;

	return (one > other) - (one < other);
}

/* In the order of the table. */
static Guess *
make_guesses(const Spot *spots, uint64 n, uint64 *nguesses)
{
	Guess	   *guesses = new_array(Guess, n);

	*nguesses = 0;
	for (uint64 i = 0; i < n; i++)
		if (line_of(spots[i]) != InvalidOffsetNumber)	/* nor in NO_SPOT is there a line */
			guesses[(*nguesses)++] = (Guess) {spots[i], i};
	qsort(guesses, *nguesses, sizeof(Guess), compare_guesses);
	return guesses;
}

static ItemPointerData *
tids_of(const Guess *guesses, uint64 n)
{
	ItemPointerData *tids = new_array(ItemPointerData, n);

	for (uint64 i = 0; i < n; i++)
		ItemPointerSet(&tids[i], page_of(guesses[i].spot), line_of(guesses[i].spot));
	return tids;
}

typedef struct SpotReader
{
	FrameLoad  *load;
	const PlainSource *source;
	HeapRows	rows;
	TupleTableSlot *row;		/* of the table */
	TupleTableSlot *shown;		/* of the load */
} SpotReader;

/* The row's columns that the load has. */
static void
show_row(SpotReader *reader)
{
	const FrameLoad *load = reader->load;
	const DeclaredColumn *first = load->publication->columns;

	ExecClearTuple(reader->shown);
	for (int i = 0; i < load->ncolumns; i++)
		reader->shown->tts_values[i] = slot_getattr(reader->row, reader->source->columns[load->columns[i].column - first],
													&reader->shown->tts_isnull[i]);
	ExecStoreVirtualTuple(reader->shown);
}

static TupleDesc
columns_of(const FrameLoad *load)
{
	TupleDesc	desc = CreateTemplateTupleDesc(load->ncolumns);

	for (int i = 0; i < load->ncolumns; i++)
		TupleDescInitEntry(desc, i + 1, NULL, load->columns[i].column->type, -1, 0);
	return desc;
}

/* Is it the person's row that stands there? */
static bool
read_guess(SpotReader *reader, uint64 i, Datum person)
{
	FrameLoad  *load = reader->load;
	bool		found;

	if (!heap_row_fetch(&reader->rows, i, reader->row))
		return false;
	show_row(reader);
	found = !reader->shown->tts_isnull[load->key] &&
		keys_equal(load->keys, keys_as_stored(load->keys, reader->shown->tts_values[load->key]), person);
	if (!found)
		return false;
	load->at = reader->row->tts_tid;
	return load->receiver.receiveSlot(reader->shown, &load->receiver);
}

uint64
read_spots(FrameLoad *load, const PlainSource *source, const Spot *spots, Datum *keys, uint64 n)
{
	Relation	table = table_open(source->table, AccessShareLock);
	SpotReader	reader = {.load = load,.source = source};
	uint64		nguesses;
	Guess	   *guesses = make_guesses(spots, n, &nguesses);
	bool	   *is_found = new_zeros(bool, n);
	uint64		left = 0;

	reader.rows = heap_rows(source->pages, table, tids_of(guesses, nguesses), nguesses);
	reader.row = table_slot_create(table, NULL);
	reader.shown = MakeSingleTupleTableSlot(columns_of(load), &TTSOpsVirtual);
	for (uint64 i = 0; i < nguesses; i++)
	{
		CHECK_FOR_INTERRUPTS();
		is_found[guesses[i].person] = read_guess(&reader, i, keys[guesses[i].person]);
	}
	ExecDropSingleTupleTableSlot(reader.shown);
	ExecDropSingleTupleTableSlot(reader.row);
	table_close(table, NoLock);
	for (uint64 i = 0; i < n; i++)
		if (!is_found[i])
			keys[left++] = keys[i];
	return left;
}

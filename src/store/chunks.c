/*
 * chunks.c
 *		Reading and writing the TOAST relation.  See chunks.h.
 */
#include "postgres.h"

#include "store/chunks.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/toast_internals.h"
#include "catalog/pg_type_d.h"
#include "catalog/toasting.h"
#include "common/pg_prng.h"
#include "compat.h"
#include "port/pg_crc32c.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/snapmgr.h"

/* One end of the range of chunks that a read looks for. */
typedef struct Bound
{
	ScanKeyData header;
	ScanKeyData members[2];
} Bound;

struct ChunkReader
{
	Store	   *store;			/* borrowed */
	Snapshot	snapshot;		/* borrowed */
	MemoryContext context;		/* borrowed: nbtree allocates what it keeps whenever it comes to need it */
	IndexScanDesc scan;			/* owned */
	TupleTableSlot *slot;		/* owned */
	ScanDirection direction;
	Bound		low;
	Bound		high;
};

/* ----------------------------------------------------------------
 * Opening
 * ----------------------------------------------------------------
 */

/* Opens a table's TOAST relation with its indexes. */
static Store *
open_toast(Relation rel, LOCKMODE lockmode)
{
	Store	   *store = palloc0(sizeof(Store));
	int			valid;

	store->rel = rel;
	store->lockmode = lockmode;
	store->toast = table_open(rel->rd_rel->reltoastrelid, lockmode);
	valid = toast_open_indexes(store->toast, lockmode, &store->indexes, &store->nindexes);
	store->valid = store->indexes[valid];
	return store;
}

Store *
open_store(Relation rel, bool to_verify)
{
	Counters	counters = {0};
	Store	   *store;

	if (!OidIsValid(rel->rd_rel->reltoastrelid) ||
		((!read_counters(rel, &counters) || counters.valid == counters.next) && !to_verify))
		return NULL;
	store = open_toast(rel, AccessShareLock);
	store->counters = counters;
	return store;
}

Store *
open_store_to_write(Relation rel)
{
	Store	   *store;

	/*
	 * SET ACCESS METHOD gives a table no TOAST relation if it had none before.  The lock keeps a second writer from
	 * making one, too.
	 */
	if (!OidIsValid(rel->rd_rel->reltoastrelid))
	{
		LockRelationOid(RelationGetRelid(rel), ShareUpdateExclusiveLock);
		AcceptInvalidationMessages();
		if (!OidIsValid(rel->rd_rel->reltoastrelid))
			NewHeapCreateToastTable(RelationGetRelid(rel), (Datum) 0, ShareUpdateExclusiveLock, InvalidOid);
		if (!OidIsValid(rel->rd_rel->reltoastrelid))
			elog(ERROR, "table \"%s\" did not get a TOAST relation", RelationGetRelationName(rel));
	}

	/*
	 * A unique index asks us for rows while it holds a lock on a page.  What it makes us lock then must be locked
	 * already: nothing could wait there.
	 */
	LockRelationOid(rel->rd_rel->reltoastrelid, AccessShareLock);
	store = open_toast(rel, AccessShareLock);
	store->lockmode = NoLock;	/* kept */
	close_store(store);
	return open_toast(rel, RowExclusiveLock);
}

void
close_store(Store *store)
{
	/* For readers the table's own lock is enough, as with values that PostgreSQL puts there. */
	LOCKMODE	lockmode = store->lockmode == AccessShareLock ? AccessShareLock : NoLock;

	toast_close_indexes(store->indexes, store->nindexes, lockmode);
	table_close(store->toast, lockmode);
	pfree(store);
}

/* ----------------------------------------------------------------
 * One chunk
 * ----------------------------------------------------------------
 */

/* Computes a checksum that covers the chunk's keys, too: a chunk in another's place is found out. */
static pg_crc32c
checksum(Oid id, int32 seq, const char *bytes, Size length)
{
	pg_crc32c	crc;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, &id, sizeof(id));
	COMP_CRC32C(crc, &seq, sizeof(seq));
	COMP_CRC32C(crc, bytes, length);
	FIN_CRC32C(crc);
	return crc;
}

HeapTuple
form_chunk(Relation toast, uint64 first, uint32 part, uint64 stamp, const char *bytes, Size length)
{
	union
	{
		struct varlena value;
		char		room[VARHDRSZ + CHUNK_HEADER + CHUNK_BYTES];
	}			data;
	char	   *contents = data.room + VARHDRSZ;
	Oid			id = chunk_id_of(first);
	int32		seq = chunk_seq_of(first, part);
	pg_crc32c	crc;
	Datum		values[3];
	bool		nulls[3] = {false, false, false};

	Assert(length <= CHUNK_BYTES);
	SET_VARSIZE(&data.value, VARHDRSZ + CHUNK_HEADER + length);
	memcpy(contents + sizeof(crc), &stamp, sizeof(stamp));
	if (length > 0)
		memcpy(contents + CHUNK_HEADER, bytes, length);
	crc = checksum(id, seq, contents + sizeof(crc), CHUNK_HEADER - sizeof(crc) + length);
	memcpy(contents, &crc, sizeof(crc));

	values[0] = ObjectIdGetDatum(id);
	values[1] = Int32GetDatum(seq);
	values[2] = PointerGetDatum(&data);
	return heap_form_tuple(RelationGetDescr(toast), values, nulls);
}

void
read_chunk(Relation toast, HeapTuple tuple, Chunk *chunk)
{
	TupleDesc	desc = RelationGetDescr(toast);
	bool		nulls[3];
	Oid			id = DatumGetObjectId(heap_getattr(tuple, 1, desc, &nulls[0]));
	int32		seq = DatumGetInt32(heap_getattr(tuple, 2, desc, &nulls[1]));
	struct varlena *data = (struct varlena *) DatumGetPointer(heap_getattr(tuple, 3, desc, &nulls[2]));
	const char *contents;
	Size		length;
	pg_crc32c	crc;

	chunk->tuple = tuple;
	chunk->bytes = NULL;
	chunk->length = 0;
	chunk->stamp = 0;
	chunk->damage = NULL;
	if (!chunk_of(id, seq, &chunk->first, &chunk->part))
		chunk->damage = "A chunk has a number that no chunk can have.";
	else if (nulls[0] || nulls[1] || nulls[2] || VARATT_IS_EXTENDED(data) ||
			 (length = VARSIZE(data) - VARHDRSZ) < CHUNK_HEADER || length > CHUNK_HEADER + CHUNK_BYTES ||
			 VARDATA(data) + length > (char *) tuple->t_data + tuple->t_len)
		chunk->damage = "A chunk has not the form of one.";
	else
	{
		contents = VARDATA(data);
		memcpy(&crc, contents, sizeof(crc));
		memcpy(&chunk->stamp, contents + sizeof(crc), sizeof(chunk->stamp));
		chunk->bytes = contents + CHUNK_HEADER;
		chunk->length = length - CHUNK_HEADER;
		if (!EQ_CRC32C(crc, checksum(id, seq, contents + sizeof(crc), length - sizeof(crc))))
			chunk->damage = "A chunk has not the checksum that it was written with.";
	}
}

void
insert_chunk(Store *store, uint64 first, uint32 part, uint64 stamp, const char *bytes, Size length,
			 CommandId cid, int options)
{
	HeapTuple	tuple = form_chunk(store->toast, first, part, stamp, bytes, length);
	Datum		values[2] = {ObjectIdGetDatum(chunk_id_of(first)), Int32GetDatum(chunk_seq_of(first, part))};
	bool		nulls[2] = {false, false};

	/*
	 * Chunks are numbered in our own way, which would stop logical decoding, also when only another table is decoded:
	 * HEAP_INSERT_NO_LOGICAL hides them.
	 */
	heap_insert(store->toast, tuple, cid,
				(options & (HEAP_INSERT_SKIP_FSM | HEAP_INSERT_FROZEN)) | HEAP_INSERT_NO_LOGICAL, NULL);

	/* One that REINDEX CONCURRENTLY left behind is written, too: it may be rebuilt. */
	for (int i = 0; i < store->nindexes; i++)
	{
		Relation	index = store->indexes[i];

		if (index->rd_index->indisready)
			index_insert(index, values, nulls, &tuple->t_self, store->toast,
						 index->rd_index->indisunique ? UNIQUE_CHECK_YES : UNIQUE_CHECK_NO, false, NULL);
	}
	heap_freetuple(tuple);
}

uint64
new_stamp(void)
{
	return pg_prng_uint64(&pg_global_prng_state);
}

/* ----------------------------------------------------------------
 * Chunks in order
 * ----------------------------------------------------------------
 */

/* (chunk_id, chunk_seq) >= or <= ROW(...), as nbtree takes it. */
static void
make_bound(Bound *bound, StrategyNumber strategy, uint64 first, uint32 part)
{
	ScanKeyEntryInitialize(&bound->members[0], SK_ROW_MEMBER, 1, strategy, OIDOID, InvalidOid,
						   F_BTOIDCMP, ObjectIdGetDatum(chunk_id_of(first)));
	ScanKeyEntryInitialize(&bound->members[1], SK_ROW_MEMBER | SK_ROW_END, 2, strategy, INT4OID, InvalidOid,
						   F_BTINT4CMP, Int32GetDatum(chunk_seq_of(first, part)));
	memset(&bound->header, 0, sizeof(bound->header));
	bound->header.sk_flags = SK_ROW_HEADER;
	bound->header.sk_attno = 1;
	bound->header.sk_strategy = strategy;
	bound->header.sk_argument = PointerGetDatum(bound->members);
}

ChunkReader *
begin_chunks(Store *store, Snapshot snapshot)
{
	ChunkReader *reader = palloc0(sizeof(ChunkReader));

	reader->store = store;
	reader->snapshot = snapshot;
	reader->context = CurrentMemoryContext;
	reader->scan = begin_index_scan(store->toast, store->valid, snapshot, 2);
	reader->slot = table_slot_create(store->toast, NULL);
	return reader;
}

void
end_chunks(ChunkReader *reader)
{
	ExecDropSingleTupleTableSlot(reader->slot);
	index_endscan(reader->scan);
	pfree(reader);
}

Store *
chunks_store(const ChunkReader *reader)
{
	return reader->store;
}

void
set_chunks_snapshot(ChunkReader *reader, Snapshot snapshot)
{
	reader->snapshot = snapshot;
}

bool
next_chunk(ChunkReader *reader, Chunk *chunk)
{
	bool		should_free;
	MemoryContext old = MemoryContextSwitchTo(reader->context);
	bool		found = index_getnext_slot(reader->scan, reader->direction, reader->slot);

	MemoryContextSwitchTo(old);
	if (!found)
		return false;
	read_chunk(reader->store->toast, ExecFetchSlotHeapTuple(reader->slot, false, &should_free), chunk);
	return true;
}

/* nbtree marks the members in passing, so they are made anew each time. */
static bool
search(ChunkReader *reader, Snapshot snapshot, ScanDirection direction, uint64 low, uint32 low_part, uint64 high, uint32 high_part,
	   Chunk *chunk)
{
	ScanKeyData keys[2];
	MemoryContext old = MemoryContextSwitchTo(reader->context);

	make_bound(&reader->low, BTGreaterEqualStrategyNumber, low, low_part);
	make_bound(&reader->high, BTLessEqualStrategyNumber, high, high_part);
	keys[0] = reader->low.header;
	keys[1] = reader->high.header;
	reader->direction = direction;
	reader->scan->xs_snapshot = snapshot;
	ExecClearTuple(reader->slot);
	index_rescan(reader->scan, keys, 2, NULL, 0);
	MemoryContextSwitchTo(old);
	return next_chunk(reader, chunk);
}

bool
chunk_from(ChunkReader *reader, uint64 first, uint32 part, Chunk *chunk)
{
	return search(reader, reader->snapshot, ForwardScanDirection, first, part, MAX_ROWS - 1, PART_MAX, chunk);
}

bool
chunk_upto(ChunkReader *reader, uint64 first, uint32 part, Chunk *chunk)
{
	return search(reader, reader->snapshot, BackwardScanDirection, 0, 0, first, part, chunk);
}

bool
chunk_between(ChunkReader *reader, uint64 first, uint32 from, uint32 upto, Chunk *chunk)
{
	Snapshot	snapshot = IsMVCCSnapshot(reader->snapshot) ? reader->snapshot : SnapshotAny;

	return search(reader, snapshot, ForwardScanDirection, first, from, first, upto, chunk);
}

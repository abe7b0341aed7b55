/*
 * metapage.c
 *		The one page of the main fork.  See chunks.h.
 *
 * NOTES
 *		Changes go through generic WAL, and are not undone by an abort: numbers
 *		are never given twice.
 */
#include "postgres.h"

#include "store/chunks.h"

#include "access/generic_xlog.h"
#include "port/pg_crc32c.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "storage/smgr.h"

#define METAPAGE_MAGIC 0x70707265
#define METAPAGE_VERSION 1

typedef struct MetaPage
{
	uint32		magic;
	uint32		version;
	Counters	counters;
	pg_crc32c	checksum;		/* of all before it */
} MetaPage;

#define MetaPageOf(page) ((MetaPage *) PageGetContents(page))

/* Generic WAL does not keep bytes between pd_lower and pd_upper. */
#define METAPAGE_LOWER (MAXALIGN(SizeOfPageHeaderData) + offsetof(MetaPage, checksum) + sizeof(pg_crc32c))

/* RelationGetNumberOfBlocks() would ask us, the access method. */
static bool
has_metapage(Relation rel)
{
	return smgrnblocks(RelationGetSmgr(rel), MAIN_FORKNUM) > 0;
}

/* Nothing else would tell a damaged counter from a right one. */
static pg_crc32c
checksum(const MetaPage *meta)
{
	pg_crc32c	crc;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, meta, offsetof(MetaPage, checksum));
	FIN_CRC32C(crc);
	return crc;
}

/* Raises an error unless the metapage is intact and of this version. */
static MetaPage *
check_metapage(Relation rel, Page page)
{
	MetaPage   *meta = MetaPageOf(page);
	bool		is_ours = PageGetPageSize(page) == BLCKSZ && meta->magic == METAPAGE_MAGIC;

	/* Of another version, nothing behind the version is known. */
	if (is_ours && meta->version != METAPAGE_VERSION)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("table \"%s\" was written by another version of pprepub", RelationGetRelationName(rel)),
						errdetail("Its format is %u, this library's is %d.", meta->version, METAPAGE_VERSION)));
	if (!is_ours || ((PageHeader) page)->pd_lower != METAPAGE_LOWER || !EQ_CRC32C(meta->checksum, checksum(meta)) ||
		meta->counters.valid > meta->counters.next || meta->counters.next > MAX_ROWS)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("the metapage of table \"%s\" is damaged", RelationGetRelationName(rel)),
						errdetail("Nothing tells which of the table's rows count."),
						errhint("Restore the table from a backup.")));
	return meta;
}

bool
read_counters(Relation rel, Counters *counters)
{
	Buffer		buffer;
	bool		found;

	if (!has_metapage(rel))
		return false;
	buffer = ReadBuffer(rel, 0);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	/* A page that was added by a transaction that crashed is new. */
	found = !PageIsNew(BufferGetPage(buffer));
	if (found)
		*counters = check_metapage(rel, BufferGetPage(buffer))->counters;
	UnlockReleaseBuffer(buffer);
	return found;
}

/* The page to change, locked, as generic WAL has it; one is made, or set up, if there is none. */
static MetaPage *
begin_change(Relation rel, GenericXLogState **state, Buffer *buffer)
{
	bool		is_new;
	Page		page;
	MetaPage   *meta;

	if (!has_metapage(rel))
	{
		LockRelationForExtension(rel, ExclusiveLock);
		if (!has_metapage(rel))
			ReleaseBuffer(ReadBuffer(rel, P_NEW));
		UnlockRelationForExtension(rel, ExclusiveLock);
	}
	*buffer = ReadBuffer(rel, 0);
	LockBuffer(*buffer, BUFFER_LOCK_EXCLUSIVE);
	is_new = PageIsNew(BufferGetPage(*buffer));
	if (!is_new)
		check_metapage(rel, BufferGetPage(*buffer));
	*state = GenericXLogStart(rel);
	page = GenericXLogRegisterBuffer(*state, *buffer, is_new ? GENERIC_XLOG_FULL_IMAGE : 0);
	meta = MetaPageOf(page);
	if (is_new)
	{
		PageInit(page, BLCKSZ, 0);
		*meta = (MetaPage) {.magic = METAPAGE_MAGIC, .version = METAPAGE_VERSION};
		((PageHeader) page)->pd_lower = METAPAGE_LOWER;
	}
	return meta;
}

/* The page gets its checksum together with what was changed. */
static void
end_change(MetaPage *meta, GenericXLogState *state, Buffer buffer)
{
	meta->checksum = checksum(meta);
	GenericXLogFinish(state);
	UnlockReleaseBuffer(buffer);
}

uint64
reserve_rows(Relation rel, uint32 rows)
{
	GenericXLogState *state;
	Buffer		buffer;
	MetaPage   *meta = begin_change(rel, &state, &buffer);
	uint64		first = meta->counters.next;

	if (rows > MAX_ROWS - first)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("table \"%s\" has used up its row numbers", RelationGetRelationName(rel)),
						errhint("Copy its rows into a new table.")));
	meta->counters.next += rows;
	end_change(meta, state, buffer);
	return first;
}

void
return_rows(Relation rel, uint64 used, uint64 end)
{
	GenericXLogState *state;
	Buffer		buffer;
	MetaPage   *meta;

	if (used == end)
		return;
	meta = begin_change(rel, &state, &buffer);
	if (meta->counters.next == end)
		meta->counters.next = used;
	end_change(meta, state, buffer);
}

void
invalidate_rows(Relation rel)
{
	GenericXLogState *state;
	Buffer		buffer;
	MetaPage   *meta;

	if (!has_metapage(rel))
		return;
	meta = begin_change(rel, &state, &buffer);
	meta->counters.valid = meta->counters.next;
	end_change(meta, state, buffer);
}

void
write_counters(Relation rel, const Counters *counters)
{
	GenericXLogState *state;
	Buffer		buffer;
	MetaPage   *meta = begin_change(rel, &state, &buffer);

	meta->counters = *counters;
	end_change(meta, state, buffer);
}

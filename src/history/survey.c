/*
 * survey.c
 *		Reading a plain source page by page, for the keys alone.
 *
 * NOTES
 *		Nobody waits for it, but somebody may be about to ask: so it takes a
 *		millisecond or two at a time.  It leaves tables alone that take more than
 *		their share of the server's memory: their pages are not all there to be
 *		fetched, and others' would have to go for them.
 */
#include "history/survey.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "history/directory.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#define PAGES_AT_ONCE	128

/* To find a row in an index takes as long as to pass by so many. */
#define ROWS_PASSED		32

void
survey_note_strayed(Survey *survey, const PlainSource *source, uint64 rows, uint64 people)
{
	if (survey->table != source->table || survey->key != source->key || survey->key_type != source->key_type)
		*survey = (Survey) {.table = source->table,.key = source->key,.key_type = source->key_type};
	survey->strayed += rows;
	if (survey->is_under_way || survey->strayed <= (survey->is_done ? people / ROWS_PASSED : 0))
		return;
	survey->is_under_way = true;
	survey->next = 0;
	survey->strayed = 0;
}

/* Before somebody dropped the publication, perhaps, and changed the table. */
static bool
is_as_it_was(const Survey *survey, Relation table)
{
	TupleDesc	desc = RelationGetDescr(table);

	return table->rd_tableam == GetHeapamTableAmRoutine() && survey->key <= desc->natts &&
		!TupleDescAttr(desc, survey->key - 1)->attisdropped &&
		getBaseType(TupleDescAttr(desc, survey->key - 1)->atttypid) == survey->key_type;
}

static void
look_at_pages(Directory *directory, Relation table)
{
	Survey	   *survey = directory_survey(directory);
	TupleTableSlot *slot = table_slot_create(table, NULL);
	ItemPointerData first;
	ItemPointerData last;
	TableScanDesc scan;

	ItemPointerSet(&first, survey->next, FirstOffsetNumber);
	survey->next += PAGES_AT_ONCE;
	ItemPointerSet(&last, survey->next - 1, MaxOffsetNumber);
	scan = table_beginscan_tidrange(table, GetActiveSnapshot(), &first, &last);
	while (table_scan_getnextslot_tidrange(scan, ForwardScanDirection, slot))
	{
		bool		isnull;
		Datum		key = slot_getattr(slot, survey->key, &isnull);

		CHECK_FOR_INTERRUPTS();
		if (!isnull)
			directory_note_spot(directory, key, spot_of(&slot->tts_tid));
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
}

void
survey_go_on(Directory *directory)
{
	Survey	   *survey = directory_survey(directory);
	Relation	table;
	BlockNumber npages;

	survey->is_under_way = false;
	if (!ConditionalLockRelationOid(survey->table, AccessShareLock))
		return;
	table = try_table_open(survey->table, NoLock);
	if (table == NULL)
		return;
	npages = is_as_it_was(survey, table) ? RelationGetNumberOfBlocks(table) : 0;
	survey->is_done = survey->next >= npages || npages > (BlockNumber) NBuffers / 2;
	if (!survey->is_done)
	{
		look_at_pages(directory, table);
		survey->is_under_way = true;
	}
	table_close(table, NoLock);
}

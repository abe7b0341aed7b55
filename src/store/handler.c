/*
 * handler.c
 *		CREATE ACCESS METHOD pprepub TYPE TABLE.
 */
#include "postgres.h"

#include "store/handler.h"

#include "compat.h"
#include "fmgr.h"
#include "store/scan.h"
#include "store/slot.h"

static const TupleTableSlotOps *
pprepub_slot_callbacks(Relation rel)
{
	return stored_slot_ops();
}

static const TableAmRoutine methods = {
	.type = T_TableAmRoutine,

	.slot_callbacks = pprepub_slot_callbacks,

	.scan_begin = pprepub_scan_begin,
	.scan_end = pprepub_scan_end,
	.scan_rescan = pprepub_scan_rescan,
	.scan_getnextslot = pprepub_scan_getnextslot,
	.scan_set_tidrange = pprepub_scan_set_tidrange,
	.scan_getnextslot_tidrange = pprepub_scan_getnextslot_tidrange,

	.parallelscan_estimate = pprepub_parallelscan_estimate,
	.parallelscan_initialize = pprepub_parallelscan_initialize,
	.parallelscan_reinitialize = pprepub_parallelscan_reinitialize,

	.index_fetch_begin = pprepub_index_fetch_begin,
	.index_fetch_reset = pprepub_index_fetch_reset,
	.index_fetch_end = pprepub_index_fetch_end,
	.index_fetch_tuple = pprepub_index_fetch_tuple,

	.tuple_fetch_row_version = pprepub_tuple_fetch_row_version,
	.tuple_tid_valid = pprepub_tuple_tid_valid,
	.tuple_get_latest_tid = pprepub_tuple_get_latest_tid,
	.tuple_satisfies_snapshot = pprepub_tuple_satisfies_snapshot,
	.index_delete_tuples = pprepub_index_delete_tuples,

	.tuple_insert = pprepub_tuple_insert,
	.tuple_insert_speculative = pprepub_tuple_insert_speculative,
	.tuple_complete_speculative = pprepub_tuple_complete_speculative,
	.multi_insert = pprepub_multi_insert,
	.tuple_delete = pprepub_tuple_delete,
	.tuple_update = pprepub_tuple_update,
	.tuple_lock = pprepub_tuple_lock,
	.finish_bulk_insert = pprepub_finish_bulk_insert,

	.relation_set_new_filelocator = pprepub_relation_set_new_filelocator,
	.relation_nontransactional_truncate = pprepub_relation_nontransactional_truncate,
	.relation_copy_data = pprepub_relation_copy_data,
	.relation_copy_for_cluster = pprepub_relation_copy_for_cluster,
	.relation_vacuum = pprepub_relation_vacuum,
	.scan_analyze_next_block = pprepub_scan_analyze_next_block,
	.scan_analyze_next_tuple = pprepub_scan_analyze_next_tuple,
	.index_build_range_scan = pprepub_index_build_range_scan,
	.index_validate_scan = pprepub_index_validate_scan,

	.relation_size = pprepub_relation_size,
	.relation_needs_toast_table = pprepub_relation_needs_toast_table,
	.relation_toast_am = pprepub_relation_toast_am,

	.relation_estimate_size = pprepub_relation_estimate_size,

#if PG_VERSION_NUM < 180000
	.scan_bitmap_next_block = pprepub_scan_bitmap_next_block,
#endif
	.scan_bitmap_next_tuple = pprepub_scan_bitmap_next_tuple,
	.scan_sample_next_block = pprepub_scan_sample_next_block,
	.scan_sample_next_tuple = pprepub_scan_sample_next_tuple
};

const TableAmRoutine *
pprepub_methods(void)
{
	return &methods;
}

PG_FUNCTION_INFO_V1(pprepub_handler);

Datum
pprepub_handler(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(&methods);
}

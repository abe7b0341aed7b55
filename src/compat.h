/*
 * compat.h
 *		What differs between PostgreSQL 15, 16, 17 and 18.
 *
 * The tree is written for the newest.  Here older ones get its names, and functions
 * that have gained an argument since then drop it: the last one under their own
 * name, another one under a name of ours.  Files that use such a name include this
 * beside PostgreSQL's own header.  Elsewhere nothing depends on the version but the
 * callbacks in store/scan.c that have changed as a whole.
 */
#ifndef PPREPUB_COMPAT_H
#define PPREPUB_COMPAT_H

#include "postgres.h"

/* ---- Since 16 ---- */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"

#define sorted_datum(state, forward, value, isnull) \
	tuplesort_getdatum(state, forward, false, value, isnull, NULL)
#define vacuum_relations(relations, params, strategy, context) \
	vacuum(relations, params, strategy, context, true)
#define set_heaprel(info, rel) ((info)->heaprel = (rel))
#else
#include "storage/relfilenode.h"

typedef RelFileNode RelFileLocator;
typedef bool TU_UpdateIndexes;

#define RelFileLocatorEquals RelFileNodeEquals
#define VACOPT_PROCESS_MAIN 0	/* which was always done */
#define rd_locator rd_node
#define relNumber relNode
#define relation_set_new_filelocator relation_set_new_filenode

#define ExecInsertIndexTuples(result, slot, estate, update, noduperr, conflict, arbiters, ...) \
	ExecInsertIndexTuples(result, slot, estate, update, noduperr, conflict, arbiters)
#define make_range(type, lower, upper, empty, ...) \
	make_range(type, lower, upper, empty)
#define sorted_datum(state, forward, value, isnull) \
	tuplesort_getdatum(state, forward, value, isnull, NULL)
#define vacuum_relations(relations, params, strategy, context) \
	vacuum(relations, params, strategy, true)
#define set_heaprel(info, rel) ((void) (rel))

#define object_aclcheck(class, object, role, mode) aclcheck_of_##class(object, role, mode)
#define aclcheck_of_DatabaseRelationId pg_database_aclcheck
#define aclcheck_of_NamespaceRelationId pg_namespace_aclcheck
#define aclcheck_of_ProcedureRelationId pg_proc_aclcheck
#define object_ownercheck(class, object, role) ownercheck_of_##class(object, role)
#define ownercheck_of_RelationRelationId pg_class_ownercheck
#endif

/* ---- Since 17 ---- */
#if PG_VERSION_NUM >= 170000
#define lock_is_held(tag, mode) LockHeldByMe(tag, mode, false)
#else
#define lock_is_held(tag, mode) LockHeldByMe(tag, mode)
#endif
#if PG_VERSION_NUM >= 180000
#define make_foreign_path(root, rel, startup, total) \
	create_foreignscan_path(root, rel, NULL, (rel)->rows, 0, startup, total, NIL, (rel)->lateral_relids, NULL, NIL, NIL)
#elif PG_VERSION_NUM >= 170000
#define make_foreign_path(root, rel, startup, total) \
	create_foreignscan_path(root, rel, NULL, (rel)->rows, startup, total, NIL, (rel)->lateral_relids, NULL, NIL, NIL)
#else
#define make_foreign_path(root, rel, startup, total) \
	create_foreignscan_path(root, rel, NULL, (rel)->rows, startup, total, NIL, (rel)->lateral_relids, NULL, NIL)
#endif

/* ---- Since 18 ---- */
#if PG_VERSION_NUM >= 180000
#define lc_collate_is_c(collation) (pg_newlocale_from_collation(collation)->collate_is_c)
#define explained_tables(es) ((es)->rtable_size)
#define disable_path(path) ((path)->disabled_nodes = 1)
#define set_scanned(shared, rel) ((shared)->phs_locator = (rel)->rd_locator)
#define begin_index_scan(heap, index, snapshot, nkeys) \
	index_beginscan(heap, index, snapshot, NULL, nkeys, 0)
#define note_size(rel, pages, rows, hasindex, frozen, minmulti) \
	vac_update_relstats(rel, pages, rows, 0, 0, hasindex, frozen, minmulti, NULL, NULL, false)

#define make_tuple_hash(parent, desc, nkeys, keys, equal, hashes, collations, buckets, context, temporary) \
	BuildTupleHashTable(parent, desc, &TTSOpsVirtual, nkeys, keys, equal, hashes, collations, buckets, sizeof(void *), \
						context, context, temporary, false)
#define tuple_hash_data(table, entry) (*(void **) TupleHashEntryGetAdditional(table, entry))
#else
#define pg_noreturn pg_attribute_noreturn()
#define explained_tables(es) list_length((es)->rtable)
#define disable_path(path) ((path)->startup_cost += disable_cost, (path)->total_cost += disable_cost)
#define set_scanned(shared, rel) ((shared)->phs_relid = RelationGetRelid(rel))
#define begin_index_scan(heap, index, snapshot, nkeys) \
	index_beginscan(heap, index, snapshot, nkeys, 0)
#define note_size(rel, pages, rows, hasindex, frozen, minmulti) \
	vac_update_relstats(rel, pages, rows, 0, hasindex, frozen, minmulti, NULL, NULL, false)

#define heap_form_minimal_tuple(desc, values, nulls, ...) \
	heap_form_minimal_tuple(desc, values, nulls)
#define minimal_tuple_from_heap_tuple(tuple, ...) minimal_tuple_from_heap_tuple(tuple)
#define pgstat_report_vacuum(table, shared, live, dead, ...) \
	pgstat_report_vacuum(table, shared, live, dead)
#define make_tuple_hash(parent, desc, nkeys, keys, equal, hashes, collations, buckets, context, temporary) \
	BuildTupleHashTableExt(parent, desc, nkeys, keys, equal, hashes, collations, buckets, 0, \
						   context, context, temporary, false)
#define tuple_hash_data(table, entry) ((entry)->additional)
#endif

#endif							/* PPREPUB_COMPAT_H */

/*
 * compat.h
 *		What differs between PostgreSQL 15, 16, 17, 18 and 19.
 *
 * The tree is written for the newest.  Here older ones get its names, and functions
 * that have gained an argument since then drop it: the last one under their own
 * name, another one under a name of ours.  Files that use such a name include this
 * beside PostgreSQL's own header.  Elsewhere nothing depends on the version but the
 * callbacks in store/scan.c that have changed as a whole.  A callback that has gained
 * or lost a parameter has it in since_19() or until_18(), with its comma.
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

#define insert_index_entries(result, estate, slot) \
	ExecInsertIndexTuples(result, slot, estate, false, false, NULL, NIL)
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
#define note_size(rel, pages, rows, hasindex, frozen, minmulti) \
	vac_update_relstats(rel, pages, rows, 0, hasindex, frozen, minmulti, NULL, NULL, false)

#define heap_form_minimal_tuple(desc, values, nulls, ...) \
	heap_form_minimal_tuple(desc, values, nulls)
#define minimal_tuple_from_heap_tuple(tuple, ...) minimal_tuple_from_heap_tuple(tuple)
#define make_tuple_hash(parent, desc, nkeys, keys, equal, hashes, collations, buckets, context, temporary) \
	BuildTupleHashTableExt(parent, desc, nkeys, keys, equal, hashes, collations, buckets, 0, \
						   context, context, temporary, false)
#define tuple_hash_data(table, entry) ((entry)->additional)
#endif

/* ---- Since 19 ---- */
#if PG_VERSION_NUM >= 190000
#define since_19(...) , __VA_ARGS__
#define until_18(...)

typedef uint32 TableOptions;
typedef const struct VacuumParams *VacuumOrder;

#define RELATION_HOOK_PARAMETERS PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *entry
#define RELATION_HOOK_ARGUMENTS root, rel, entry
#define new_tranche(name) LWLockNewTrancheId(name)
#define name_tranche(tranche, name) ((void) 0)
#define begin_index_scan(heap, index, snapshot, nkeys) \
	index_beginscan(heap, index, snapshot, NULL, nkeys, 0, 0)
#define report_vacuum(table, live, dead, started) pgstat_report_vacuum(table, live, dead, started)
#define insert_index_entries(result, estate, slot) ExecInsertIndexTuples(result, estate, 0, slot, NIL, NULL)
#define array_iter_next(walk, isnull, i, ...) array_iter_next(walk, isnull, i)
#else
#define since_19(...)
#define until_18(...) , __VA_ARGS__

typedef int TableOptions;
typedef struct VacuumParams *VacuumOrder;

#define RELATION_HOOK_PARAMETERS PlannerInfo *root, Oid relid, bool inhparent, RelOptInfo *rel
#define RELATION_HOOK_ARGUMENTS root, relid, inhparent, rel
#define new_tranche(name) LWLockNewTrancheId()
#define name_tranche(tranche, name) LWLockRegisterTranche(tranche, name)
#define log_vacuum_min_duration log_min_duration
#define build_simple_rel_hook get_relation_info_hook
#define build_simple_rel_hook_type get_relation_info_hook_type
#define array_iter_setup(walk, array, ...) array_iter_setup(walk, array)
#define table_beginscan(table, snapshot, nkeys, keys, ...) table_beginscan(table, snapshot, nkeys, keys)
#define table_beginscan_parallel(table, shared, ...) table_beginscan_parallel(table, shared)
#define GetRelationIncludedPublications GetRelationPublications
#ifndef TupleDescFinalize
#define TupleDescFinalize(desc) ((void) (desc))
#endif
#if PG_VERSION_NUM >= 180000
#define begin_index_scan(heap, index, snapshot, nkeys) \
	index_beginscan(heap, index, snapshot, NULL, nkeys, 0)
#define report_vacuum(table, live, dead, started) \
	pgstat_report_vacuum(RelationGetRelid(table), (table)->rd_rel->relisshared, live, dead, started)
#else
#define begin_index_scan(heap, index, snapshot, nkeys) \
	index_beginscan(heap, index, snapshot, nkeys, 0)
#define report_vacuum(table, live, dead, started) \
	pgstat_report_vacuum(RelationGetRelid(table), (table)->rd_rel->relisshared, live, dead)
#endif
#if PG_VERSION_NUM >= 160000
#define insert_index_entries(result, estate, slot) \
	ExecInsertIndexTuples(result, slot, estate, false, false, NULL, NIL, false)
#endif
#endif

#endif							/* PPREPUB_COMPAT_H */

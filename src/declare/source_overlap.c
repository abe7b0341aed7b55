/*
 * source_overlap.c
 *		Finding another publication that reaches the tables that a source reaches.
 *
 * NOTES
 *		Partitions and children are followed up and then down again: a row, and
 *		so a person, can move from one partition to its sibling.
 *
 *		A view is followed only into relations that its owner may read: a view
 *		that cannot be read shares nothing, and a role could otherwise stop the
 *		releases of another by a view of its table.  A filled materialized view
 *		was read once.
 *
 *		Functions are followed if their bodies are in SQL's own form; the tables
 *		that others read cannot be seen from the catalogs.
 *
 *		Most sources are tables that reach nothing but themselves.  Two of these
 *		are compared by their OIDs; the query below takes milliseconds in a
 *		session that has not run it before.
 */
#include "declare/source_overlap.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/publication.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/*
 * From each publication's source to the relations and functions it depends on;
 * "role" is the reader's.
 */
static const char *const overlap_query =
"WITH RECURSIVE source AS ("
" SELECT $2 AS publication, $1::oid AS relation, $4::oid AS owner"
" UNION ALL SELECT publication, source::oid, owner::oid"
"  FROM pprepub_internal.catalog_publication JOIN pprepub_internal.catalog_source USING (publication)"
"  WHERE publication <> $2 AND NOT publication = ANY ($3) AND NOT $2 = ANY (beside)"
"), r AS ("
" SELECT publication, 'pg_class'::regclass::oid AS classid, relation AS object, owner AS role FROM source"
" UNION SELECT r.publication, n.classid, n.object, n.role FROM r CROSS JOIN LATERAL ("
"  SELECT d.refclassid AS classid, d.refobjid AS object, k.relowner AS role"
"   FROM pg_class k JOIN pg_rewrite w ON w.ev_class = k.oid"
"   JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refobjid <> k.oid"
"   WHERE r.classid = 'pg_class'::regclass AND k.oid = r.object AND (d.refclassid = 'pg_proc'::regclass"
"   OR d.refclassid = 'pg_class'::regclass AND (k.relkind = 'm' AND k.relispopulated"
"    OR has_any_column_privilege(k.relowner, d.refobjid, 'SELECT')"
"    OR has_any_column_privilege(r.role, d.refobjid, 'SELECT')))"
"  UNION ALL SELECT d.refclassid, d.refobjid, r.role FROM pg_depend d"
"   WHERE r.classid = 'pg_proc'::regclass AND d.classid = r.classid AND d.objid = r.object"
"   AND d.refclassid IN ('pg_proc'::regclass, 'pg_class'::regclass)"
"  UNION ALL SELECT 'pg_class'::regclass, inhparent, r.role FROM pg_inherits"
"   WHERE r.classid = 'pg_class'::regclass AND inhrelid = r.object"
"  UNION ALL SELECT 'pg_class'::regclass, inhrelid, r.role FROM pg_inherits"
"   WHERE r.classid = 'pg_class'::regclass AND inhparent = r.object) n)"
" SELECT p.name, c.oid::regclass::text AS relation"
" FROM r mine JOIN r other ON other.classid = mine.classid AND other.object = mine.object"
" AND mine.publication = $2 AND other.publication <> $2"
" JOIN pg_class c ON mine.classid = 'pg_class'::regclass AND c.oid = mine.object"
"  AND c.relkind IN ('r', 'p', 'f', 'm') AND c.oid >= 16384"
" JOIN pprepub_internal.catalog_publication p ON p.publication = other.publication"
" ORDER BY p.name, c.oid LIMIT 1";

/* Does a relation reach nothing but itself? One that is gone reaches nothing at all. */
static bool
stands_alone(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	bool		is_plain = true;

	if (HeapTupleIsValid(tuple))
	{
		Form_pg_class class = (Form_pg_class) GETSTRUCT(tuple);

		is_plain = class->relkind == RELKIND_RELATION && !class->relhasrules && !class->relhassubclass;
		ReleaseSysCache(tuple);
	}
	return is_plain && !has_superclass(relation);
}

/* Publications that need no look: declared beside this one, or plain tables that differ. */
typedef struct Skipped
{
	Datum	   *publications;
	int			n;
} Skipped;

static Datum
skipped_array(const Skipped *skipped)
{
	return PointerGetDatum(construct_array(skipped->publications, skipped->n, INT4OID, 4, true, TYPALIGN_INT));
}

static bool
is_among(const int32 *publications, int n, int32 publication)
{
	for (int i = 0; i < n; i++)
		if (publications[i] == publication)
			return true;
	return false;
}

/* Was a publication, given as a row of the catalog's result, declared beside this one? */
static bool
is_beside(uint64 row, int32 publication)
{
	int			n;
	const int32 *beside = catalog_numbers(row, "beside", &n);

	return is_among(beside, n, publication);
}

/*
 * Adds publications over plain tables to the skipped ones.  Returns true if any
 * is left that may share data with the source.
 */
static bool
skip_plain_tables(Oid source, int32 publication, const int32 *beside, int nbeside, Skipped *skipped)
{
	uint64		n = catalog_run("SELECT publication, pinned::oid AS pinned, beside FROM pprepub_internal.catalog_publication", CATALOG_READ, 0, NULL);
	bool		is_alone = stands_alone(source);
	bool		any_left = false;

	skipped->publications = repalloc(skipped->publications, sizeof(Datum) * (skipped->n + n + 1));
	for (uint64 i = 0; i < n; i++)
	{
		int32		number = catalog_int(i, "publication");
		Oid			other = source_of_pinned(catalog_oid(i, "pinned"));

		if (number == publication || !OidIsValid(other) ||
			is_among(beside, nbeside, number) || is_beside(i, publication))
			continue;
		if (is_alone && other != source && stands_alone(other))
			skipped->publications[skipped->n++] = Int32GetDatum(number);
		else
			any_left = true;
	}
	return any_left;
}

/* Raises an error if a publication that was not skipped reaches a table of the source. */
static void
verify_apart(CatalogAccess *access, Oid source, Oid owner, int32 publication, const Skipped *skipped)
{
	catalog_read(overlap_query,
				 CATALOG_PARAM(REGCLASSOID, ObjectIdGetDatum(source)),
				 CATALOG_PARAM(INT4OID, Int32GetDatum(publication)),
				 CATALOG_PARAM(INT4ARRAYOID, skipped_array(skipped)),
				 CATALOG_PARAM(REGROLEOID, ObjectIdGetDatum(owner)));
	if (SPI_processed > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("\"%s\" shares data with publication \"%s\"",
						get_rel_name(source), catalog_text(access, 0, "name")),
				 errdetail("Both reach table %s, and each is judged without the other.",
						   catalog_text(access, 0, "relation")),
				 errhint("Publish everything of these people through one publication, or name the other in beside => '{…}' if nobody can join the two.")));
}

/* ----------------------------------------------------------------
 * Sources that were found to share nothing
 * ----------------------------------------------------------------
 */

/*
 * A publication whose source was found to share nothing, and the number of
 * relcache invalidations that this session had received by then.
 */
typedef struct Alone
{
	int32		publication;
	Oid			source;
	uint64		changes;
} Alone;

static Alone known_alone[16];
static uint64 changes = 0;		/* 0 while the callback is not registered */

static void
note_change(Datum arg, Oid relation)
{
	changes++;
}

static void
listen_to_changes(void)
{
	if (changes > 0)
		return;
	CacheRegisterRelcacheCallback(note_change, (Datum) 0);
	changes = 1;
}

static Alone *
alone_at(int32 publication)
{
	return &known_alone[publication % lengthof(known_alone)];
}

/*
 * The finding holds until a relation changes: making a relation reach another
 * one changes one of them, and declaring a publication creates a view.
 */
static bool
is_known_alone(Oid source, int32 publication)
{
	const Alone *known = alone_at(publication);

	return known->publication == publication && known->source == source && known->changes == changes;
}

void
verify_shares_no_data(Oid source, Oid owner, int32 publication, const int32 *beside, int nbeside)
{
	Skipped		skipped = {.publications = palloc(sizeof(Datum) * (nbeside + 1)), .n = nbeside};
	CatalogAccess access;
	uint64		changes_before;

	listen_to_changes();
	if (publication > 0 && is_known_alone(source, publication))
		return;
	changes_before = changes;
	for (int i = 0; i < nbeside; i++)
		skipped.publications[i] = Int32GetDatum(beside[i]);
	catalog_enter(&access);
	if (skip_plain_tables(source, publication, beside, nbeside, &skipped))
		verify_apart(&access, source, owner, publication, &skipped);
	else if (publication > 0)
		*alone_at(publication) = (Alone) {publication, source, changes_before};
	catalog_leave(&access);
}

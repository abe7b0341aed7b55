/*
 * bases.c
 *		The tables that a source reaches.
 *
 * NOTES
 *		Partitions and children are followed up and then down again: a row, and
 *		so a person, can move from one partition to its sibling.
 *
 *		What a function in a view reads cannot be seen from the catalogs.
 */
#include "declare/bases.h"

#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* Two recursions of one shape, over one start and over those of all others. */
#define REACH_FROM(start) \
	"SELECT publication, source::oid AS relation FROM " start \
	" UNION SELECT r.publication, n.relation FROM r CROSS JOIN LATERAL (" \
	"  SELECT d.refobjid AS relation FROM pg_rewrite w JOIN pg_depend d" \
	"   ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid" \
	"   AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> w.ev_class" \
	"   WHERE w.ev_class = r.relation" \
	"  UNION ALL SELECT inhparent FROM pg_inherits WHERE inhrelid = r.relation" \
	"  UNION ALL SELECT inhrelid FROM pg_inherits WHERE inhparent = r.relation) n"

static const char *const overlap_query =
"WITH RECURSIVE r AS (" REACH_FROM("(SELECT $2 AS publication, $1 AS source"
								   " UNION ALL SELECT publication, source FROM pprepub.catalog_publication"
								   " WHERE publication <> $2 AND NOT publication = ANY ($3)"
								   " AND NOT $2 = ANY (beside)) s") ")"
" SELECT p.name, c.oid::regclass::text AS relation"
" FROM r mine JOIN r other ON other.relation = mine.relation AND mine.publication = $2 AND other.publication <> $2"
" JOIN pg_class c ON c.oid = mine.relation AND c.relkind IN ('r', 'p', 'f', 'm') AND c.oid >= 16384"
" JOIN pprepub.catalog_publication p ON p.publication = other.publication"
" ORDER BY p.name, c.oid LIMIT 1";

void
verify_judged_alone(Oid source, int32 publication, const int32 *beside, int nbeside)
{
	CatalogAccess access;
	Datum	   *others = palloc(sizeof(Datum) * (nbeside + 1));

	for (int i = 0; i < nbeside; i++)
		others[i] = Int32GetDatum(beside[i]);
	catalog_enter(&access);
	catalog_execute(overlap_query,
					CATALOG_PARAM(REGCLASSOID, ObjectIdGetDatum(source)),
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication)),
					CATALOG_PARAM(INT4ARRAYOID,
								  PointerGetDatum(construct_array(others, nbeside, INT4OID, 4, true, TYPALIGN_INT))));
	if (SPI_processed > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("\"%s\" shares data with publication \"%s\"",
						get_rel_name(source), catalog_text(&access, 0, "name")),
				 errdetail("Both reach table %s, and each is judged without the other.",
						   catalog_text(&access, 0, "relation")),
				 errhint("Publish everything of these people through one publication, or name the other in beside => '{…}' if nobody can join the two.")));
	catalog_leave(&access);
}

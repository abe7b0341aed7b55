/*
 * source_overlap.c
 *		Finding another publication that reaches the tables that a source reaches.
 */
#include "declare/warn_owner.h"

#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/publication.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"

/* Finds the tables of the source that other publications reach, but for those that this one was declared beside. */
static uint64
find_shared(const DeclaredPublication *publication)
{
	Datum	   *lookups = palloc(sizeof(Datum) * (publication->nlookups + 1));
	Datum	   *beside = palloc(sizeof(Datum) * (publication->nbeside + 1));

	for (int i = 0; i < publication->nbeside; i++)
		beside[i] = Int32GetDatum(publication->beside[i]);
	for (int i = 0; i < publication->nlookups; i++)
		lookups[i] = ObjectIdGetDatum(publication->lookups[i]);
	return catalog_read("SELECT * FROM pprepub_internal.shared_data($1, $2, $3, $4, $5)",
						CATALOG_OID(publication->source),
						CATALOG_INT(publication->id),
						CATALOG_PARAM(INT4ARRAYOID, PointerGetDatum(construct_array(beside, publication->nbeside, INT4OID, 4, true, TYPALIGN_INT))),
						CATALOG_OID(publication->owner),
						CATALOG_PARAM(OIDARRAYOID, PointerGetDatum(construct_array(lookups, publication->nlookups, OIDOID, sizeof(Oid), true, TYPALIGN_INT))));
}

/* Raises an error if another publication reaches a table of the source that is no lookup table.  False if they share nothing. */
static bool
verify_apart(CatalogAccess *access, const DeclaredPublication *publication)
{
	uint64		n = find_shared(publication);
	const char *other;
	StringInfoData tables;
	int			ntables = 0;

	if (n == 0 || catalog_int(0, "is_lookup"))
		return n > 0;
	other = catalog_text(access, 0, "name");
	initStringInfo(&tables);
	for (uint64 i = 0; i < n && !catalog_int(i, "is_lookup") && strcmp(catalog_text(access, i, "name"), other) == 0; i++)
		appendStringInfo(&tables, "%s%s", ntables++ > 0 ? ", " : "", catalog_text(access, i, "relation"));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_IN_USE),
			 errmsg("\"%s\" shares data with publication \"%s\"", get_rel_name(publication->source), other),
			 ntables == 1
			 ? errdetail("Both reach table %s, and each is judged without the other.", tables.data)
			 : errdetail("Both reach tables %s, and each is judged without the other.", tables.data),
			 errhint("Publish everything of these people through one publication, or name the other in beside => '{…}' if nobody can join the two. Name tables that hold no people in lookup => '{…}'.")));
}

/* ---- Lookup tables ---- */

static void
refuse_lookup(Oid lookup, const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
			 errmsg("\"%s\" cannot be a lookup table", get_rel_name(lookup)),
			 errdetail("%s", why),
			 errhint("Lookup tables hold no people, only what codes stand for. Publish everything of people through one publication.")));
}

/*
 * The part of a relation's rows, as its owner sees them, whose keys stand in one column of a lookup table: of more than a
 * half, the table seems to hold their people.  NaN where there are no rows to judge by.
 */
static double
part_in_lookup(Oid relation, const char *key, Oid owner, Oid lookup)
{
	Figures		figures = {.owner = owner};
	StringInfoData sql;
	CatalogAccess access;
	uint64		n;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT (SELECT pg_catalog.count(*) FROM %s), GREATEST(0", quoted_relation(relation));
	catalog_enter(&access);
	n = catalog_read("SELECT attname::text FROM pg_attribute WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped",
					 CATALOG_OID(lookup));
	for (uint64 i = 0; i < n; i++)
		appendStringInfo(&sql, ", (SELECT pg_catalog.count(*) FROM (SELECT %s::pg_catalog.text FROM %s INTERSECT SELECT %s::pg_catalog.text FROM %s) s)",
						 quote_identifier(key), quoted_relation(relation),
						 quote_identifier(catalog_text(&access, i, "attname")), quoted_relation(lookup));
	catalog_leave(&access);
	appendStringInfoString(&sql, ")");
	figures.sql = sql.data;
	return ask_figures(&figures) && figures.figure[0] > 0 ? (double) figures.figure[1] / figures.figure[0] : get_float8_nan();
}

/* May the people of a relation stand in a lookup table, as far as one can tell? */
static bool
may_have_people(Oid relation, const char *key, Oid owner, Oid lookup)
{
	return !(part_in_lookup(relation, key, owner, lookup) <= 0.5);
}

/* A lookup table that the source shares with another publication. */
typedef struct SharedLookup
{
	Oid			relation;
	char	   *named;
	char	   *name;			/* of the publication, with its pinned view, owner and key */
	Oid			pinned;
	Oid			owner;
	char	   *key;
} SharedLookup;

/* The lookup tables that the source and others reach. */
static SharedLookup *
find_shared_lookups(const DeclaredPublication *publication, int *n)
{
	CatalogAccess access;
	uint64		rows;
	SharedLookup *shared;

	*n = 0;
	catalog_enter(&access);
	rows = find_shared(publication);
	shared = MemoryContextAlloc(access.context, sizeof(SharedLookup) * (rows + 1));
	for (uint64 i = 0; i < rows; i++)
		if (catalog_int(i, "is_lookup"))
			shared[(*n)++] = (SharedLookup) {
				.relation = catalog_oid(i, "oid"), .named = catalog_text(&access, i, "relation"), .name = catalog_text(&access, i, "name"),
				.pinned = catalog_oid(i, "pinned"), .owner = catalog_oid(i, "owner"), .key = catalog_text(&access, i, "key")
			};
	catalog_leave(&access);
	return shared;
}

void
verify_lookups(const DeclaredPublication *publication, const char *key)
{
	int			n;
	PersonColumn *persons = find_person_columns(publication->source, key, &n);
	int			nshared;
	SharedLookup *shared;

	for (int i = 0; i < publication->nlookups; i++)
	{
		Oid			lookup = publication->lookups[i];
		PersonColumn *own;
		int			nown;
		char		kind = get_rel_relkind(lookup);

		/*
		 * Refuses what is no plain table of its own: rows of a view, or of a parent's child, are those of other
		 * tables.
		 */
		if (kind == '\0')
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_TABLE),
					 errmsg("relation with OID %u does not exist", lookup)));
		if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE && kind != RELKIND_FOREIGN_TABLE)
			refuse_lookup(lookup, "It is no table.");
		if (has_superclass(lookup) || (kind != RELKIND_PARTITIONED_TABLE && has_subclass(lookup)))
			refuse_lookup(lookup, "It is a partition, or inherits, or is inherited from.");
		if (lookup == publication->source)
			refuse_lookup(lookup, "It is the source.");
		for (int p = 0; p < n; p++)
			if (persons[p].is_named && persons[p].target != NULL && strcmp(persons[p].target, quoted_relation(lookup)) == 0)
				refuse_lookup(lookup, psprintf("The source's %s.", persons[p].words));
		own = find_person_columns(lookup, NULL, &nown);
		for (int p = 0; p < nown; p++)
			if (own[p].is_named)
				refuse_lookup(lookup, psprintf("Its %s.", own[p].words));
		if (may_have_people(publication->source, key, publication->owner, lookup))
			refuse_lookup(lookup, "A column of it has the keys of more than half of the source's rows, or there are none to judge by.");
	}
	/* Neither's people are in a table that both read, whichever of the two calls it a lookup table. */
	shared = find_shared_lookups(publication, &nshared);
	for (int i = 0; i < nshared; i++)
	{
		if (shared[i].relation == publication->source ||
			may_have_people(publication->source, key, publication->owner, shared[i].relation))
			refuse_lookup(shared[i].relation, psprintf("Publication \"%s\" reads it, too, and it has people of the source, or there are none to judge by.", shared[i].name));
		if (may_have_people(shared[i].pinned, shared[i].key, shared[i].owner, shared[i].relation))
			refuse_lookup(shared[i].relation, psprintf("It has people of publication \"%s\", or there are none to judge by.", shared[i].name));
	}
}

char *
shared_lookups(const DeclaredPublication *publication, bool *has_own_people)
{
	int			n;
	SharedLookup *shared = find_shared_lookups(publication, &n);
	StringInfoData tables;

	*has_own_people = false;
	initStringInfo(&tables);
	for (int i = 0; i < n; i++)
	{
		appendStringInfo(&tables, "%s%s, by \"%s\"", tables.len > 0 ? "; " : "", shared[i].named, shared[i].name);
		*has_own_people |= part_in_lookup(publication->pinned, publication_column(publication, ROLE_KEY)->name, publication->owner,
										  shared[i].relation) > 0.5;
	}
	return tables.len == 0 ? NULL : tables.data;
}

/* ---- Sources that were found to share nothing ---- */

/*
 * A publication whose source was found to share nothing, and the number of relcache invalidations that this session had
 * received by then.
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

void
verify_shares_no_data(const DeclaredPublication *publication)
{
	CatalogAccess access;
	Alone	   *known = &known_alone[publication->id % lengthof(known_alone)];
	uint64		changes_before;

	if (changes == 0)
		CacheRegisterRelcacheCallback(note_change, (Datum) 0);
	changes = Max(changes, 1);

	/*
	 * It holds until a relation changes: making one reach another changes one of them, and a declaration creates a
	 * view.
	 */
	if (publication->id > 0 && known->publication == publication->id && known->source == publication->source && known->changes == changes)
		return;
	changes_before = changes;
	catalog_enter(&access);
	if (!verify_apart(&access, publication) && publication->id > 0)
		*known = (Alone) {publication->id, publication->source, changes_before};
	catalog_leave(&access);
}

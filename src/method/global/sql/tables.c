/*
 * tables.c
 *		What makes a registry, and a list of values to be protected.
 */
#include "method/global/sql/global_sql.h"

#include "catalog/pg_type.h"
#include "declare/parameter_tables.h"
#include "declare/work.h"
#include "executor/spi.h"
#include "history/path_recount.h"
#include "history/protected.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

/* The first column of the only row that a query has. */
static int64
count_of(const char *sql)
{
	bool		isnull;

	if (SPI_execute(sql, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not look at a table: %s", sql);
	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

/* Keys are people, one row each. */
static void
check_registry(const DeclaredPublication *publication, Oid copy)
{
	const char *key = quote_identifier(publication_column(publication, ROLE_KEY)->name);
	const char *table = quoted_relation(copy);
	int64		missing = count_of(psprintf("SELECT count(*) FROM %s WHERE %s IS NOT DISTINCT FROM NULL", table, key));
	int64		repeated;

	if (missing > 0)
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("key \"%s\" of the registry of publication \"%s\" is NULL in " INT64_FORMAT " row(s)",
						publication_column(publication, ROLE_KEY)->name, publication->name, missing),
				 errhint("A key tells people apart over time, so each row needs one.")));
	repeated = count_of(psprintf("SELECT coalesce(sum(n - 1), 0)::int8 FROM (SELECT count(*) AS n FROM %s GROUP BY %s) g", table, key));
	if (repeated > 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("key \"%s\" of the registry of publication \"%s\" is repeated in " INT64_FORMAT " row(s)",
						publication_column(publication, ROLE_KEY)->name, publication->name, repeated),
				 errhint("A person is counted in once: name a view with one row for each key.")));
}

/* How many values of one list another one lacks; NULL is none. */
static int64
count_missing(const char *value, Oid list, Oid other)
{
	return count_of(psprintf("SELECT count(*) FROM (SELECT %1$s FROM %2$s WHERE %1$s IS DISTINCT FROM NULL EXCEPT SELECT %1$s FROM %3$s) v",
							 value, quoted_relation(list), quoted_relation(other)));
}

/* Values of the old copy that the new one lacks would not be protected any more. */
static void
check_transient(const DeclaredPublication *publication, Oid old_copy, Oid new_copy, bool accept_weakening)
{
	const char *value = quote_identifier(publication_column(publication, ROLE_SENSITIVE)->name);
	const char *table = quoted_relation(new_copy);
	int64		lost;

	if (count_of(psprintf("SELECT count(*) FROM %s WHERE %s IS DISTINCT FROM NULL", table, value)) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the table that \"transient\" names has no value"),
				 errdetail("Nothing would be protected."),
				 errhint("Fill it. A publication that is declared without \"transient\" protects all values.")));
	if (!OidIsValid(old_copy) || publication->releases == 0)
		return;
	lost = accept_weakening ? 0 : count_missing(value, old_copy, new_copy);
	if (lost > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the table that \"transient\" names lacks " INT64_FORMAT " value(s) that publication \"%s\" protects",
						lost, publication->name),
				 errdetail("Who was linked to them could be linked again, as often as you publish."),
				 errhint("If that is what you want, say so: add \"accept_weakening\": true to the parameters.")));
	if (count_missing(value, new_copy, old_copy) > 0)
		warn_of_new_values(publication, old_copy, new_copy);
}

/* Of what was published, too, other values tell something from now on. */
static void
protect_others(const DeclaredPublication *publication, Oid old_copy, Oid new_copy)
{
	const char *value = quote_identifier(publication_column(publication, ROLE_SENSITIVE)->name);
	OwnersWork	work;

	if (publication->releases == 0 ||
		(OidIsValid(old_copy) && count_missing(value, old_copy, new_copy) == 0 && count_missing(value, new_copy, old_copy) == 0))
		return;
	work_begin(&work, publication->owner, GetLatestSnapshot());
	paths_recount(publication, new_copy);
	work_close(&work);
}

void
check_global_table(const DeclaredPublication *publication, const char *param,
				   Oid old_copy, Oid new_copy, bool accept_weakening)
{
	if (strcmp(param, "registry") == 0)
		check_registry(publication, new_copy);
	else if (strcmp(param, "transient") == 0)
	{
		check_transient(publication, old_copy, new_copy, accept_weakening);
		protect_others(publication, old_copy, new_copy);
	}
}

void
load_global_tables(const DeclaredPublication *publication, FrameLoad *load)
{
	Oid			registry = copied_table(publication, "registry");

	if (OidIsValid(registry))
		load_registry(load, registry);
	load_protected_values(publication, load);
}

/*
 * tables.c
 *		Checking a registry, a list of values to be protected, and a new l: people may
 *		be linked too well already when more is promised than was.
 *
 * NOTES
 *		Nothing that is published later takes a link back.  Such people are
 *		withheld whenever they have such a value again (Theorem 2); beyond that
 *		only their owner can do something for them, and must know.
 */
#include "method/global/sql/global_sql.h"

#include "audit/breach.h"
#include "catalog/pg_type.h"
#include "declare/parameters.h"
#include "declare/warn_owner.h"
#include "declare/work.h"
#include "executor/spi.h"
#include "frame/arrays.h"
#include "history/recall.h"
#include "history/rebuild.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* ----------------------------------------------------------------
 * People who are linked too well
 * ----------------------------------------------------------------
 */

typedef struct Counting
{
	uint32		l;
	uint64		npeople;
	Individual	last;			/* who was counted last */
	Code		nvalues;
	bool	   *is_counted;		/* [values] */
} Counting;

/* Counts the person and the value of a breach, each once: the breaches of one person come together. */
static void
count_breach(void *what, const Breach *breach)
{
	Counting   *counting = what;

	if (breach_is_allowed(breach->links, breach->n, counting->l))
		return;
	counting->npeople += breach->person != counting->last;
	counting->last = breach->person;
	counting->nvalues += !counting->is_counted[breach->value];
	counting->is_counted[breach->value] = true;
}

/* Counts the people whom the releases link to protected values with a chance above 1/l, and these values. */
static Counting
count_breaches(const Recalled *recalled, const bool *is_protected, uint32 l)
{
	Counting	counting = {
		.l = l, .last = NO_INDIVIDUAL,
		.is_counted = new_zeros(bool, recalled->seen.nvalues),
	};

	visit_breaches(statistics_of(&recalled->seen), recalled->people->size, is_protected, count_breach, &counting);
	return counting;
}

/* Warns that values to be protected from now on are known of some people already. */
static void
warn_of_linked(const DeclaredPublication *publication, const Counting *counting)
{
	if (counting->npeople == 0)
		return;
	warn_owner(publication, &(OwnerWarning) {
		.message = psprintf("releases of publication \"%s\" link " UINT64_FORMAT " of its people too well already to values that are to be protected now",
							publication->name, counting->npeople),
		.detail = psprintf("They link them to %u value(s) with a chance of more than 1/%u. Nothing that is published later takes that back.",
						   counting->nvalues, counting->l),
		.hint = "breach_probability() names them. They will be withheld whenever they have such a value again.",
	});
}

uint32
l_of(const DeclaredPublication *publication, Jsonb *params)
{
	return param_values(method_declaration(publication->method), params)[0];
}

/* Warns where people are linked too well already to values of a new list that the old one lacks: as the owner, inside SPI. */
static void
warn_of_new_values(const DeclaredPublication *publication, Oid old_list, Oid new_list)
{
	OwnersWork	work;
	Recalled   *recalled;
	bool	   *is_old;
	bool	   *is_new;
	Counting	counting;

	work_begin(&work, publication->owner, GetLatestSnapshot());
	recalled = recall(publication);
	is_old = listed_values(publication, old_list, recalled);
	is_new = listed_values(publication, new_list, recalled);
	for (Code value = 0; value < recalled->seen.nvalues; value++)
		is_new[value] &= !is_old[value];
	counting = count_breaches(recalled, is_new, l_of(publication, publication->params));
	work_end(&work);
	warn_of_linked(publication, &counting);
	MemoryContextDelete(work.context);
}

void
warn_of_new_l(const DeclaredPublication *publication, Jsonb *params)
{
	OwnersWork	work;
	Recalled   *recalled;
	Counting	counting;

	if (l_of(publication, params) <= l_of(publication, publication->params))
		return;
	work_begin(&work, publication->owner, GetLatestSnapshot());
	recalled = recall(publication);
	counting = count_breaches(recalled, protected_values(publication, recalled), l_of(publication, params));
	work_end(&work);
	warn_of_linked(publication, &counting);
	MemoryContextDelete(work.context);
}

/* ----------------------------------------------------------------
 * Tables
 * ----------------------------------------------------------------
 */

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
				 errdetail("People who were linked to them could be linked again by each release."),
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

/*
 * warn_owner.c
 *		Raising warnings and remembering them, and what owners are warned of with a declaration or a release.
 */
#include "declare/warn_owner.h"

#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/parameters.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* The warnings that were raised about a publication. */
typedef struct OwnerWarnings
{
	MemoryContext context;
	List	   *lines;			/* char *, each with all that owners are told, in the order in which they were raised */
	bool		starving;
} OwnerWarnings;

void
warn_owner(const DeclaredPublication *publication, const OwnerWarning *warning)
{
	if (publication->warnings != NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(publication->warnings->context);

		publication->warnings->lines = lappend(publication->warnings->lines,
											   psprintf("%s.%s%s%s%s", warning->message,
														warning->detail == NULL ? "" : " ", warning->detail == NULL ? "" : warning->detail,
														warning->hint == NULL ? "" : " ", warning->hint == NULL ? "" : warning->hint));
		publication->warnings->starving |= warning->starves;
		MemoryContextSwitchTo(old);
	}
	ereport(WARNING,
			(errmsg_internal("%s", warning->message),
			 warning->detail == NULL ? 0 : errdetail_internal("%s", warning->detail),
			 warning->log_detail == NULL ? 0 : errdetail_log("%s", warning->log_detail),
			 warning->hint == NULL ? 0 : errhint("%s", warning->hint)));
}

void
warn_of_weak_release(const DeclaredPublication *publication, const OwnerWarning *warning)
{
	OwnerWarning whole = *warning;

	whole.message = psprintf("release %d is less than publication \"%s\" promises", publication->releases, publication->name);
	warn_owner(publication, &whole);
}

void
remember_warnings(DeclaredPublication *publication)
{
	publication->warnings = palloc0(sizeof(OwnerWarnings));
	publication->warnings->context = CurrentMemoryContext;
}

ArrayType *
remembered_warnings(const DeclaredPublication *publication, bool *starving)
{
	List	   *lines = publication->warnings->lines;
	Datum	   *elements = palloc(sizeof(Datum) * (list_length(lines) + 1));

	*starving = publication->warnings->starving;
	if (lines == NIL)
		return NULL;
	for (int i = 0; i < list_length(lines); i++)
		elements[i] = CStringGetTextDatum(list_nth(lines, i));
	return construct_array(elements, list_length(lines), TEXTOID, -1, false, TYPALIGN_INT);
}

/* ---- Figures of the source ---- */

/* Runs the query as its owner; called by look_in_subtransaction(). */
static void
read_figures(void *what)
{
	Figures    *figures = what;
	Identity	caller;

	act_as(&caller, figures->owner);
	SPI_connect();
	if (SPI_execute(figures->sql, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read figures of the source");
	for (int i = 0; i < SPI_tuptable->tupdesc->natts; i++)
	{
		bool		isnull;
		Datum		value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1, &isnull);

		figures->figure[i] = isnull ? 0 : DatumGetInt64(value);
	}
	SPI_finish();
	act_as_before(&caller);
}

bool
ask_figures(Figures *figures)
{
	ErrorData  *error = look_in_subtransaction(read_figures, figures);

	if (error != NULL && ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_OPERATOR_INTERVENTION)
		ReThrowError(error);
	return error == NULL;
}

/* ---- Rows that point to persons ---- */

PersonColumn *
find_person_columns(Oid source, const char *key, int *n)
{
	CatalogAccess access;
	PersonColumn *columns;

	catalog_enter(&access);
	*n = catalog_read("SELECT name, target, persons, shown, rows_each, words FROM pprepub_internal.person_columns($1, $2)",
					  CATALOG_OID(source), CATALOG_TEXT(key));
	columns = MemoryContextAlloc(access.context, sizeof(PersonColumn) * (*n + 1));
	for (int i = 0; i < *n; i++)
		columns[i] = (PersonColumn) {
			.name = catalog_text(&access, i, "name"),
			.target = catalog_text(&access, i, "target"),
			.is_named = catalog_int(i, "persons"),
			.is_shown = catalog_int(i, "shown"),
			.rows_each = catalog_int(i, "rows_each"),
			.words = catalog_text(&access, i, "words"),
		};
	catalog_leave(&access);
	return columns;
}

void
warn_of_several_rows(const DeclaredPublication *publication)
{
	const char *key = publication_column(publication, ROLE_KEY)->name;
	int			n = 0;
	PersonColumn *columns = has_several_rows(publication) ? NULL : find_person_columns(publication->source, key, &n);

	for (int i = 0; i < n; i++)
	{
		const char *name = quote_identifier(columns[i].name);
		Figures		figures = {.owner = publication->owner,
			.sql = psprintf("SELECT pg_catalog.count(%s), pg_catalog.count(DISTINCT %s::pg_catalog.text) FROM %s",
							name, name, quoted_relation(publication->source))};

		if (columns[i].is_shown &&
			(!ask_figures(&figures) || figures.figure[0] <= figures.figure[1] || figures.figure[0] > figures.figure[1] * columns[i].rows_each))
			continue;
		warn_owner(publication, &(OwnerWarning) {
			.message = psprintf("%s: a person may have several rows", columns[i].words),
			.detail = psprintf("Publication \"%s\" takes each \"%s\" for a person: its parameters count rows, and a class of several rows may be one person's.",
							   publication->name, key),
			.hint = psprintf("%s with key => %s, rows => 'several'%s; or publish a view with one row for each person.",
							 columns[i].is_shown ? "Declare it" : "Declare a view that shows the column,",
							 quote_literal_cstr(columns[i].name),
							 method_declaration(publication->method)->several_rows ? "" : psprintf(" (methods: %s)", list_methods(METHODS_OF_SEVERAL_ROWS))),
		});
		return;
	}
}

/* ---- Values that are rows' own ---- */

#define LEAST_JUDGED	50		/* rows: of fewer, many have a value of their own whatever it is */
#define WORDS_OF_TEXT	4		/* on average */

void
warn_of_unique_sensitive(const DeclaredPublication *publication)
{
	const MethodDeclaration *method = method_declaration(publication->method);

	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];
		const char *name = quote_identifier(column->name);
		Figures		figures = {.owner = publication->owner};
		int64		unique;
		int64		rows;
		bool		is_text;

		if (!is_sensitive(column) || has_bands(column))
			continue;
		figures.sql = psprintf("SELECT pg_catalog.count(*) FILTER (WHERE n OPERATOR(pg_catalog.=) 1), pg_catalog.sum(n)::pg_catalog.int8,"
							   " pg_catalog.sum(n OPERATOR(pg_catalog.*) pg_catalog.array_length(pg_catalog.string_to_array(value, ' '), 1))::pg_catalog.int8"
							   " FROM (SELECT %s::pg_catalog.text AS value, pg_catalog.count(*) AS n FROM %s WHERE %s IS NOT NULL GROUP BY 1) s",
							   name, quoted_relation(publication->pinned), name);
		if (!ask_figures(&figures))
			return;
		unique = figures.figure[0];
		rows = figures.figure[1];
		is_text = is_string(column->type) && figures.figure[2] >= rows * WORDS_OF_TEXT && unique * FEWEST_UNIQUE > rows;
		if (rows < LEAST_JUDGED || (!is_text && unique * 2 <= rows))
			continue;
		warn_owner(publication, &(OwnerWarning) {
			.message = psprintf("sensitive column \"%s\" of publication \"%s\" %s: %.1f %% of its values are unique",
								column->name, publication->name, is_text ? "seems to be free text" : "is of values that occur once",
								100.0 * unique / rows),
			.detail = "Values leave as they are: an observer who knows one finds the row, and any rows have as many different values as there are rows, however alike these are.",
			.hint = psprintf("Publish a coarser column, by a view: rounded amounts, codes in place of notes%s.",
							 find_parameter(method, "bands") == NULL ? "" : "; or judge values that are alike as one, by parameter \"bands\""),
		});
	}
}

/* ---- Insensitive columns ---- */

void
warn_of_unique_insensitive(const DeclaredPublication *publication, bool is_declared)
{
	Figures		figures = {.owner = publication->owner};
	StringInfoData columns;
	int64		unique;
	int64		rows;

	initStringInfo(&columns);
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role == ROLE_INSENSITIVE)
			/* as text, since a type need not have an equality */
			appendStringInfo(&columns, "%s%s::pg_catalog.text", columns.len > 0 ? ", " : "",
							 quote_identifier(publication->columns[i].name));
	if (columns.len == 0)
		return;
	figures.sql = psprintf("SELECT pg_catalog.count(*) FILTER (WHERE n OPERATOR(pg_catalog.=) 1), pg_catalog.sum(n)::pg_catalog.int8"
						   " FROM (SELECT pg_catalog.count(*) AS n FROM %s GROUP BY %s) s",
						   quoted_relation(publication->pinned), columns.data);
	read_figures(&figures);
	unique = figures.figure[0];
	rows = figures.figure[1];
	if (is_declared && unique * 2 > rows &&
		!param_is_set(method_declaration(publication->method), publication->params, "accept_insensitive"))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the insensitive columns of publication \"%s\" are unique for %.1f %% of the rows",
						publication->name, 100.0 * unique / rows),
				 errdetail("They leave as they are: an observer who knows them of a person finds that person's row, whatever its class."),
				 errhint("Declare them as quasi-identifiers, or leave them out. If that is what you want, say so: add \"accept_insensitive\": true to the parameters.")));
	if (unique * 100 > rows)
		warn_owner(publication, &(OwnerWarning) {
			.message = psprintf("the insensitive columns of publication \"%s\" are unique for %.1f %% of the rows",
								publication->name, 100.0 * unique / rows),
			.detail = "Anybody who knows them of a person finds that person's row in any class.",
			.hint = "Declare them as quasi-identifiers, or leave them out.",
		});
}

/*
 * The setting that keeps invented rows from taking the places of people who have left, or NULL where the parameters let
 * none do so.
 */
static const char *
without_stand_ins(const DeclaredPublication *publication, Jsonb *params)
{
	const MethodDeclaration *method = method_declaration(publication->method);

	return method->without_stand_ins == NULL ? NULL : method->without_stand_ins(param_values(method, params));
}

void
warn_of_stand_ins(const DeclaredPublication *publication, Jsonb *before)
{
	const char *instead = without_stand_ins(publication, publication->params);
	bool		has_insensitive = false;

	for (int i = 0; i < publication->ncolumns; i++)
		has_insensitive |= publication->columns[i].role == ROLE_INSENSITIVE;
	if (instead == NULL || !has_insensitive ||
		(before != NULL && without_stand_ins(publication, before) != NULL))
		return;
	warn_owner(publication, &(OwnerWarning) {
		.message = psprintf("the insensitive columns of publication \"%s\" will show which rows were those of people who have left",
							publication->name),
		.detail = "Invented rows take their places, but repeat other people's values in these columns: values that are missing since then were theirs.",
		.hint = psprintf("Declare no insensitive columns, or set %s.", instead),
	});
}

void
warn_of_unlogged_tables(const DeclaredPublication *publication)
{
	CatalogAccess access;
	uint64		n;

	catalog_enter(&access);
	n = catalog_read("SELECT relation FROM pprepub_internal.unlogged_tables($1) relation", CATALOG_OID(publication->source));
	if (n > 0)
		warn_owner(publication, &(OwnerWarning) {
			.message = psprintf("the source of publication \"%s\" reads " UINT64_FORMAT " unlogged table(s)", publication->name, n),
			.detail = psprintf("A crash of the server empties %s%s, but the history remembers who was there.",
							   catalog_text(&access, 0, "relation"), n > 1 ? " and others" : ""),
			.hint = "ALTER TABLE … SET LOGGED makes a table survive a crash.",
		});
	catalog_leave(&access);
}

void
warn_of_moves(const DeclaredPublication *publication)
{
	if (publication->shard != NULL && !publication->shard_of_key && !OidIsValid(noted_relation(publication, "secret")))
		warn_owner(publication, &(OwnerWarning) {
			.message = psprintf("people can move out of the shard of publication \"%s\"", publication->name),
			.detail = "Its condition looks at more than the key. Releases of the shard where a person was, and of the one where that person is now, were not judged together.",
			.hint = "Declare all shards by pprepub.create_sharded_publication(), which keeps each person in one.",
		});
}

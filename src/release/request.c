/*
 * request.c
 *		From a request to what it means for a publication: the arguments of
 *		publish() and preview().
 */
#include "release/request.h"

#include "catalog/pg_type.h"
#include "method/method.h"
#include "miscadmin.h"
#include "release/cohort/cohort.h"
#include "utils/builtins.h"

Request
session_request(const char *cohort, ArrayType *columns)
{
	return (Request) {
		.cohort = cohort,
		.columns = columns,
		.by = GetUserNameFromId(GetSessionUserId(), false),
		.by_role = GetUserNameFromId(GetOuterUserId(), false),
	};
}

char *
releasable_names(const DeclaredPublication *publication)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role != ROLE_KEY)
			appendStringInfo(&list, "%s\"%s\"", list.len > 0 ? ", " : "", publication->columns[i].name);
	return list.data;
}

/* Returns the index of the column with this name, or raises an error that lists those that can be shown. */
static int
find_column(const DeclaredPublication *publication, const char *name)
{
	for (int i = 0; i < publication->ncolumns; i++)
		if (strcmp(publication->columns[i].name, name) == 0)
			return i;
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("publication \"%s\" has no column \"%s\"", publication->name, name),
			 errhint("Its releases can show %s.", releasable_names(publication))));
}

/* Sets the flag of a column that was named; an error if it cannot be shown. */
static void
show_column(const DeclaredPublication *publication, const char *name, bool *shown)
{
	int			i = find_column(publication, name);

	if (publication->columns[i].role == ROLE_KEY)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is the key of publication \"%s\" and never leaves",
						name, publication->name),
				 errhint("Its releases can show %s.", releasable_names(publication))));
	if (shown[i])
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_COLUMN),
				 errmsg("column \"%s\" is named twice", name)));
	shown[i] = true;
}

static bool *
show_all(const DeclaredPublication *publication)
{
	bool	   *shown = palloc(sizeof(bool) * publication->ncolumns);

	for (int i = 0; i < publication->ncolumns; i++)
		shown[i] = publication->columns[i].role != ROLE_KEY;
	return shown;
}

const bool *
noted_columns(const DeclaredPublication *publication, ArrayType *names)
{
	bool	   *shown;
	Datum	   *values;
	int			n;

	if (names == NULL)
		return show_all(publication);
	deconstruct_array(names, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &values, NULL, &n);
	shown = palloc0(sizeof(bool) * publication->ncolumns);
	for (int i = 0; i < n; i++)
		show_column(publication, NameStr(*DatumGetName(values[i])), shown);
	return shown;
}

const bool *
shown_columns(const DeclaredPublication *publication, ArrayType *names)
{
	const Method *method = find_method(publication->method);
	bool	   *shown;
	Datum	   *values;
	bool	   *nulls;
	int			n;

	if (names == NULL)
		return show_all(publication);
	if (!method->declaration.columns)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("method \"%s\" publishes all columns", method->declaration.name),
				 errhint("Leave the argument out.")));
	deconstruct_array(names, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &values, &nulls, &n);
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a release must show a column"),
				 errhint("The releases of publication \"%s\" can show %s.",
						 publication->name, releasable_names(publication))));
	shown = palloc0(sizeof(bool) * publication->ncolumns);
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("the name of a column must not be null")));
		show_column(publication, NameStr(*DatumGetName(values[i])), shown);
	}
	return shown;
}

Scope
scope_of(const DeclaredPublication *publication, const Request *request, bool is_lenient)
{
	return (Scope) {
		.request = request,
		.shown = shown_columns(publication, request->columns),
		.condition = request->cohort == NULL ? NULL : cohort_condition(publication, request->cohort),
		.is_lenient = is_lenient,
	};
}

ArrayType *
column_names(const DeclaredPublication *publication, const bool *shown)
{
	Datum	   *names = palloc(sizeof(Datum) * publication->ncolumns);
	int			n = 0;

	for (int i = 0; i < publication->ncolumns; i++)
		if ((shown == NULL || shown[i]) && publication->columns[i].role != ROLE_KEY)
			names[n++] = DirectFunctionCall1(namein, CStringGetDatum(publication->columns[i].name));
	return construct_array(names, n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR);
}

/*
 * parameter_columns.c
 *		Columns that parameters name: those by which rows are laid out, and sensitive ones with bands.
 */
#include "declare/parameters.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/shard.h"
#include "declare/taxonomy.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "nodes/parsenodes.h"
#include "rewrite/rewriteHandler.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

/* A sensitive column, or else a quasi-identifier, that a parameter names; anything else is an error. */
static const DeclaredColumn *
find_named(const DeclaredPublication *publication, const char *param, const char *name, bool sensitive)
{
	const char *role = sensitive ? "sensitive column" : "quasi-identifier";
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];

		if (sensitive ? !is_sensitive(column) : column->role != ROLE_QUASI_IDENTIFIER)
			continue;
		if (strcmp(column->name, name) == 0)
			return column;
		appendStringInfo(&list, "%s\"%s\"", list.len > 0 ? ", " : "", column->name);
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("parameter \"%s\" cannot name \"%s\"", param, name),
			 errdetail("It is no %s of publication \"%s\".", role, publication->name),
			 errhint("Its %ss are %s.", role, list.data)));
}

/* ---- By which rows are laid out ---- */

/* The column that a parameter named when it was declared. */
static int
column_of(const DeclaredPublication *publication, const char *param, const char *name)
{
	int			i = column_index(publication, name, true);

	if (i < 0)
		elog(ERROR, "publication \"%s\" lacks the column \"%s\" of parameter \"%s\"", publication->name, name, param);
	return i;
}

int *
layout_columns(const DeclaredPublication *publication, int *n)
{
	const MethodDeclaration *method = method_declaration(publication->method);
	int		   *columns = palloc(sizeof(int) * (publication->ncolumns + 1));

	columns[0] = -1;
	*n = 1;
	for (const ParamSpec *spec = method->params; spec->name != NULL; spec++)
	{
		char	   *leaves = spec->type == PARAM_COLUMN ? param_string(publication->params, spec->name) : NULL;
		int			nstrata = 0;
		char	  **strata = spec->type == PARAM_QUASI_IDENTIFIERS ? param_names(publication->params, spec->name, &nstrata) : NULL;

		if (leaves != NULL)
			columns[0] = column_of(publication, spec->name, leaves);
		for (int i = 0; i < nstrata; i++)
			columns[(*n)++] = column_of(publication, spec->name, strata[i]);
	}
	return columns;
}

void
refuse_unknown_column(const DeclaredPublication *publication, const char *name, TupleDesc source)
{
	StringInfoData known;

	initStringInfo(&known);
	for (int i = 0; i < source->natts; i++)
		if (!TupleDescAttr(source, i)->attisdropped)
			appendStringInfo(&known, "%s\"%s\"", known.len > 0 ? ", " : "",
							 NameStr(TupleDescAttr(source, i)->attname));
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\" of relation \"%s\" does not exist",
					name, get_rel_name(publication->source)),
			 errhint("Its columns are %s.", known.data)));
}

/* Rows are sorted by the column. */
static void
verify_order(const char *param, const DeclaredColumn *column)
{
	if (!OidIsValid(lookup_type_cache(column->type, TYPECACHE_CMP_PROC)->cmp_proc))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("parameter \"%s\" cannot name column \"%s\" of type %s",
						param, column->name, format_type_be(column->type)),
				 errdetail("Its type lacks operators for sorting."),
				 errhint("Declare a view that casts the column, for example to date or integer.")));
}

/* Refuses columns that tell everybody apart, are to be hidden by classes, or have no order. */
static void
verify_layout_column(const char *param, const DeclaredColumn *column)
{
	if (column->role == ROLE_KEY || is_sensitive(column))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_COLUMN_DEFINITION),
				 errmsg("parameter \"%s\" cannot name the %s \"%s\"", param,
						column->role == ROLE_KEY ? "key" : "sensitive column", column->name),
				 column->role == ROLE_KEY
				 ? errdetail("It differs for everybody, so no two people share a value.")
				 : errdetail("Classes would be formed by the values that they hide."),
				 errhint("It names a quasi-identifier, an insensitive column, or a column without a role.")));
	verify_order(param, column);
}

/* Raises an error if strata, or an object of weights, name anything but quasi-identifiers; strata have an order, and each is named once. */
static void
verify_quasi_identifiers(const DeclaredPublication *publication, const ParamSpec *spec, Jsonb *params)
{
	bool		are_strata = spec->type == PARAM_QUASI_IDENTIFIERS;
	int			n = 0;
	char	  **names = are_strata || spec->type == PARAM_WEIGHTS ? param_names(params, spec->name, &n) : NULL;

	for (int i = 0; i < n; i++)
	{
		const DeclaredColumn *column = find_named(publication, spec->name, names[i], false);

		if (are_strata)
			verify_order(spec->name, column);
		for (int j = 0; j < i; j++)
			if (strcmp(names[i], names[j]) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_DUPLICATE_COLUMN),
						 errmsg("parameter \"%s\" names \"%s\" twice", spec->name, names[i])));
	}
}

/* A column of the source by its name, or NULL. */
Form_pg_attribute
source_attribute(TupleDesc source, const char *name)
{
	for (int i = 0; i < source->natts; i++)
		if (!TupleDescAttr(source, i)->attisdropped && strcmp(NameStr(TupleDescAttr(source, i)->attname), name) == 0)
			return TupleDescAttr(source, i);
	return NULL;
}

/* Adds a column of the source behind the others; there must be room. */
static void
hide_column(DeclaredPublication *publication, Form_pg_attribute attribute)
{
	DeclaredColumn *column = &publication->columns[publication->ncolumns + publication->nhidden++];

	*column = (DeclaredColumn) {
		.name = pstrdup(NameStr(attribute->attname)),
		.role = ROLE_LAYOUT,
		.typmod = attribute->atttypmod,
		.collation = attribute->attcollation,
	};
	column->type = getBaseTypeAndTypmod(attribute->atttypid, &column->typmod);
}

void
declare_layout_columns(DeclaredPublication *publication, TupleDesc source)
{
	const MethodDeclaration *method = method_declaration(publication->method);

	for (const ParamSpec *spec = method->params; spec->name != NULL; spec++)
	{
		char	   *name = spec->type == PARAM_COLUMN ? param_string(publication->params, spec->name) : NULL;

		verify_quasi_identifiers(publication, spec, publication->params);
		if (name == NULL)
			continue;
		if (column_index(publication, name, true) < 0)
		{
			Form_pg_attribute attribute = source_attribute(source, name);

			if (attribute == NULL)
				refuse_unknown_column(publication, name, source);
			hide_column(publication, attribute);
		}
		verify_layout_column(spec->name, &publication->columns[column_index(publication, name, true)]);
	}
}

void
refuse_role(const DeclaredPublication *publication, const char *column)
{
	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_COLUMN),
			 errmsg("column \"%s\" of publication \"%s\" has a role already", column, publication->name),
			 errdetail("It keeps the role that it was declared with.")));
}

AttrNumber *
pinned_attributes(const DeclaredPublication *publication)
{
	Relation	view = relation_open(publication->pinned, AccessShareLock);
	AttrNumber *attributes = palloc(sizeof(AttrNumber) * (publication->ncolumns + publication->nhidden));
	ListCell   *cell;
	int			n = 0;

	foreach(cell, get_view_query(view)->targetList)
	{
		Expr	   *expression = lfirst_node(TargetEntry, cell)->expr;

		attributes[n++] = IsA(expression, Var) ? castNode(Var, expression)->varattno : InvalidAttrNumber;
	}
	relation_close(view, AccessShareLock);
	return attributes;
}

/*
 * Makes the pinned view anew, of a publication that has n columns more from this one on; the source's may have other names
 * by now.  One whose columns stay where they are is replaced.
 */
static void
extend_pinned_view(DeclaredPublication *publication, const AttrNumber *attributes, int from, int n)
{
	int			all = publication->ncolumns + publication->nhidden;
	const char **current = palloc(sizeof(char *) * all);
	bool		is_last = n == 0 || from + n == all;
	Identity	caller;

	for (int i = 0; i < all; i++)
	{
		AttrNumber	attribute = i < from ? attributes[i] : i < from + n ? InvalidAttrNumber : attributes[i - n];

		current[i] = attribute != InvalidAttrNumber ? get_attname(publication->source, attribute, false) : publication->columns[i].name;
	}
	act_as(&caller, publication->owner);
	publication->shard = shard_condition(publication);
	SPI_connect();
	if (is_last)
		execute_own_ddl(psprintf("CREATE OR REPLACE VIEW %s %s", quoted_relation(publication->pinned), pinned_view_sql(publication, current)));
	else
	{
		execute_own_ddl(psprintf("DROP VIEW %s", quoted_relation(publication->pinned)));
		publication->pinned = make_relation(publication, publication->private, "_source", "VIEW", pinned_view_sql(publication, current));
	}
	SPI_finish();
	act_as_before(&caller);
	if (!is_last)
	{
		CatalogAccess access;

		note_relation(publication, publication->pinned, "source");
		catalog_enter(&access);
		catalog_execute("UPDATE pprepub_internal.catalog_publication SET pinned = $2 WHERE publication = $1",
						CATALOG_INT(publication->id), CATALOG_PARAM(REGCLASSOID, ObjectIdGetDatum(publication->pinned)));
		catalog_leave(&access);
	}
	note_columns(publication, from);
}

void
take_columns(DeclaredPublication *publication, const DeclaredPublication *more)
{
	const AttrNumber *attributes = pinned_attributes(publication);
	int			from = publication->ncolumns;
	int			n = more->ncolumns - from;

	for (int i = from; i < more->ncolumns; i++)
		for (int a = 0; a < from + publication->nhidden; a++)
			if (attributes[a] != InvalidAttrNumber && strcmp(get_attname(publication->source, attributes[a], false), more->columns[i].name) == 0)
				refuse_role(publication, more->columns[i].name);
	publication->columns = more->columns;
	publication->ncolumns = more->ncolumns;
	extend_pinned_view(publication, attributes, from, n);
}

/* A column of the pinned view by the name that it has there or in the source; where it lacks, it is added, or refused. */
static const DeclaredColumn *
find_or_hide(DeclaredPublication *publication, const char *name, bool may_add)
{
	int			n = publication->ncolumns + publication->nhidden;
	int			i = column_index(publication, name, true);
	Relation	source;
	Form_pg_attribute attribute;
	const AttrNumber *attributes;

	if (i >= 0)
		return &publication->columns[i];
	source = relation_open(publication->source, AccessShareLock);
	attribute = source_attribute(RelationGetDescr(source), name);
	if (attribute == NULL)
		refuse_unknown_column(publication, name, RelationGetDescr(source));
	attributes = pinned_attributes(publication);
	for (i = 0; i < n && attributes[i] != attribute->attnum;)
		i++;
	if (i == n && !may_add)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a preview cannot lay newcomers out by column \"%s\"", name),
				 errdetail("It would have to be added to what the publication reads, and a preview changes nothing."),
				 errhint("Declare it with pprepub.alter_publication() first.")));
	if (i == n)
	{
		publication->columns = repalloc(publication->columns, sizeof(DeclaredColumn) * (n + 1));
		hide_column(publication, attribute);
		extend_pinned_view(publication, attributes, n, 1);
	}
	relation_close(source, NoLock);
	return &publication->columns[i];
}

Jsonb *
resolve_layout_columns(DeclaredPublication *publication, Jsonb *given, bool may_add)
{
	const MethodDeclaration *method = method_declaration(publication->method);

	for (const ParamSpec *spec = method->params; spec->name != NULL; spec++)
	{
		char	   *name = spec->type == PARAM_COLUMN ? param_string(given, spec->name) : NULL;
		const DeclaredColumn *column;

		verify_quasi_identifiers(publication, spec, given);
		if (name == NULL)
			continue;
		column = find_or_hide(publication, name, may_add);
		verify_layout_column(spec->name, column);
		given = with_string(given, spec->name, column->name);
	}
	return given;
}

/* ---- Bands ---- */

#define BANDS_HINT "Bands are \"range STEP\", for numbers, dates and timestamps; \"taxonomy NAME\" of a ladder made by pprepub.create_range_taxonomy(), for numbers; or \"taxonomy NAME LEVEL\", with the level of its nodes counted from the root."

/* Parts "icd 2" into a name and a level, unless all of it is the name of a taxonomy. */
static void
take_level(DeclaredColumn *column)
{
	char	   *space = strrchr(column->taxonomy, ' ');

	if (space == NULL || space[1] == '\0' || strlen(space + 1) > 4 || strspn(space + 1, "0123456789") < strlen(space + 1))
		return;
	if (catalog_read("SELECT FROM pprepub_internal.catalog_taxonomy WHERE name = $1", CATALOG_TEXT(column->taxonomy)) > 0)
		return;
	column->level = atoi(space + 1);
	*space = '\0';
	if (column->level == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("level 0 of taxonomy \"%s\" makes no bands", column->taxonomy),
				 errdetail("It is the root, which holds all values."),
				 errhint(BANDS_HINT)));
}

/* Reads the bands of a column. */
static void
set_band(DeclaredColumn *column, const char *text)
{
	CatalogAccess access;

	if (strncmp(text, "range ", strlen("range ")) != 0 && strncmp(text, "taxonomy ", strlen("taxonomy ")) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown bands \"%s\" for column \"%s\"", text, column->name),
				 errhint(BANDS_HINT)));
	parse_kind(text, column);
	catalog_enter(&access);
	if (column->taxonomy != NULL)
	{
		take_level(column);
		/* The tree of now: a ladder for a column without a level, and a tree that has the level for others */
		column->tree = find_taxonomy(column->taxonomy);
		catalog_read("SELECT pprepub_internal.no_bands($1, $2, $3) AS wrong",
					 CATALOG_INT(column->tree), CATALOG_TEXT(column->taxonomy), CATALOG_INT(column->level));
		catalog_raise();
	}
	catalog_leave(&access);
	if (column->level == 0 && (!OidIsValid(printed_type(KIND_RANGE, column->type)) || (column->taxonomy != NULL && !is_number(column->type))))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of type %s cannot be judged by bands \"%s\"",
						column->name, format_type_be(column->type), text),
				 errhint(BANDS_HINT)));
	(void) step_of(column);
}

/* Refuses parameters that speak of the one row of a person, where each may have several. */
static void
refuse_with_several_rows(const DeclaredPublication *publication, Jsonb *params)
{
	static const char *const of_one_row[] = {"joint", "distribution"};
	const MethodDeclaration *method = method_declaration(publication->method);

	for (int i = 0; has_several_rows(publication) && i < (int) lengthof(of_one_row); i++)
		if (param_is_set(method, params, of_one_row[i]))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("\"%s\" cannot be declared where a person may have several rows", of_one_row[i]),
					 errhint("Leave it out: each sensitive column is judged by itself, against the people of the first release.")));
}

void
set_bands(DeclaredPublication *publication, Jsonb *params)
{
	const MethodDeclaration *method = method_declaration(publication->method);

	refuse_with_several_rows(publication, params);
	for (const ParamSpec *spec = method->params; spec->name != NULL; spec++)
	{
		int			n;
		char	  **names;

		if (spec->type != PARAM_BANDS)
			continue;
		names = param_names(params, spec->name, &n);
		for (int i = 0; i < n; i++)
			(void) find_named(publication, spec->name, names[i], true);
		for (int i = 0; i < publication->ncolumns; i++)
		{
			DeclaredColumn *column = &publication->columns[i];
			char	   *text = is_sensitive(column) ? param_member(params, spec->name, column->name) : NULL;

			if (!is_sensitive(column) || (has_bands(column) && text != NULL && strcmp(kind_text(column), text) == 0))
				continue;
			column->taxonomy = column->step = NULL;
			column->tree = column->level = 0;
			column->kind = KIND_RANGE;
			if (text != NULL)
				set_band(column, text);
		}
	}
}

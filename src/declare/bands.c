/*
 * bands.c
 *		Reading and verifying the bands of sensitive columns.
 */
#include "declare/bands.h"

#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/parameters.h"
#include "declare/step.h"
#include "declare/taxonomy.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#define HINT "Bands are \"range STEP\", for numbers, dates and timestamps; \"taxonomy NAME\" of a ladder made by pprepub.create_range_taxonomy(), for numbers; or \"taxonomy NAME LEVEL\", with the level of its nodes counted from the root."

/* The publication's sensitive columns, for a hint. */
static char *
list_columns(const DeclaredPublication *publication)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < publication->ncolumns; i++)
		if (is_sensitive(&publication->columns[i]))
			appendStringInfo(&list, "%s\"%s\"", list.len > 0 ? ", " : "", publication->columns[i].name);
	return list.data;
}

/* The sensitive column that a parameter names; anything else is an error. */
static DeclaredColumn *
find_sensitive(DeclaredPublication *publication, const char *param, const char *name)
{
	for (int i = 0; i < publication->ncolumns; i++)
		if (is_sensitive(&publication->columns[i]) && strcmp(publication->columns[i].name, name) == 0)
			return &publication->columns[i];
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("parameter \"%s\" cannot name \"%s\"", param, name),
			 errdetail("It is no sensitive column of publication \"%s\".", publication->name),
			 errhint("Its sensitive columns are %s.", list_columns(publication))));
}

static void
refuse_type(const DeclaredColumn *column, const char *text)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\" of type %s cannot be judged by bands \"%s\"",
					column->name, format_type_be(column->type), text),
			 errhint(HINT)));
}

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
				 errhint(HINT)));
}

/* The tree that a taxonomy stands for now: a ladder for a column without a level, and a tree that has the level for others. */
static int32
find_tree(const DeclaredColumn *column)
{
	int32		tree = find_taxonomy(column->taxonomy);
	bool		is_ladder;
	bool		isnull;
	int			levels;

	catalog_read("SELECT ladder IS NOT NULL AS is_ladder, (SELECT max(depth) FROM pprepub_internal.catalog_tree_node n WHERE n.tree = t.tree) AS levels"
				 " FROM pprepub_internal.catalog_tree t WHERE tree = $1",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(tree)));
	is_ladder = DatumGetBool(catalog_field(0, "is_ladder", &isnull));
	levels = catalog_int(0, "levels");
	if (column->level == 0 && !is_ladder)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("taxonomy \"%s\" makes no bands without a level", column->taxonomy),
				 errdetail("It is no ladder of intervals over numbers."),
				 errhint("Say which nodes are to be one value each: \"taxonomy %s 1\" are those below the root.", column->taxonomy)));
	if (column->level > 0 && is_ladder)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("taxonomy \"%s\" makes no bands by a level", column->taxonomy),
				 errdetail("It is a ladder, whose narrowest intervals are the bands."),
				 errhint("Leave the level out.")));
	if (column->level > levels)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("taxonomy \"%s\" has no level %d", column->taxonomy, column->level),
				 errdetail("Its leaves are %d level(s) below its root at most.", levels)));
	return tree;
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
				 errhint(HINT)));
	parse_kind(text, column);
	catalog_enter(&access);
	if (column->taxonomy != NULL)
		take_level(column);
	if (column->taxonomy != NULL)
		column->tree = find_tree(column);
	catalog_leave(&access);
	if (column->level == 0 && (!OidIsValid(printed_type(KIND_RANGE, column->type)) || (column->taxonomy != NULL && !is_number(column->type))))
		refuse_type(column, text);
	(void) step_of(column);
}

/* Gives a column bands, or takes them away. */
static void
change_bands(DeclaredColumn *column, const char *text)
{
	if (has_bands(column) && text != NULL && strcmp(kind_text(column), text) == 0)
		return;
	column->taxonomy = column->step = NULL;
	column->tree = column->level = 0;
	column->kind = KIND_RANGE;
	if (text != NULL)
		set_band(column, text);
}

void
set_bands(DeclaredPublication *publication, Jsonb *params)
{
	const MethodDeclaration *method = method_declaration(publication->method);

	for (const ParamSpec *spec = method->params; spec->name != NULL; spec++)
	{
		int			n;
		char	  **names;

		if (spec->type != PARAM_BANDS)
			continue;
		names = param_keys(params, spec->name, &n);
		for (int i = 0; i < n; i++)
			(void) find_sensitive(publication, spec->name, names[i]);
		for (int i = 0; i < publication->ncolumns; i++)
			if (is_sensitive(&publication->columns[i]))
				change_bands(&publication->columns[i], param_member(params, spec->name, publication->columns[i].name));
	}
}

void
note_bands(const DeclaredPublication *publication)
{
	CatalogAccess access;

	catalog_enter(&access);
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];

		if (is_sensitive(column))
			catalog_execute("UPDATE pprepub_internal.catalog_column SET kind = $3, taxonomy = $4, tree = $5"
							" WHERE publication = $1 AND position = $2",
							CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
							CATALOG_PARAM(INT4OID, Int32GetDatum(i + 1)),
							CATALOG_TEXT(has_bands(column) ? kind_text(column) : NULL),
							CATALOG_TEXT(column->taxonomy),
							column->taxonomy ? CATALOG_PARAM(INT4OID, Int32GetDatum(column->tree))
							: CATALOG_NULL(INT4OID));
	}
	catalog_leave(&access);
}

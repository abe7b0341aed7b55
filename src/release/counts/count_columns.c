/*
 * count_columns.c
 *		What a release shows, for those who may read it: the view of the newest one, and the columns to count by.
 *
 * NOTES
 *		The caller needs no right but SELECT on the view, and is told nothing before that is known.  Roles, kinds and
 *		trees are read from the catalog, which nobody may read.
 *
 *		A view shows one release, and a release is read with the trees that it was made with.  The view's lock keeps
 *		both together until the rows are read.
 */
#include "postgres.h"

#include "release/counts/counts.h"

#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_type.h"
#include "declare/publication.h"
#include "declare/taxonomy.h"
#include "frame/arrays.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* ----------------------------------------------------------------
 * The view
 * ----------------------------------------------------------------
 */

/* An error unless the caller may read the view, or a column of it. */
static void
verify_may_read(Oid view)
{
	Oid			schema = get_rel_namespace(view);
	AclResult	may = pg_namespace_aclcheck(schema, GetUserId(), ACL_USAGE);

	if (may != ACLCHECK_OK)
		aclcheck_error(may, OBJECT_SCHEMA, get_namespace_name(schema));
	may = pg_class_aclcheck(view, GetUserId(), ACL_SELECT);
	if (may != ACLCHECK_OK && pg_attribute_aclcheck_all(view, GetUserId(), ACL_SELECT, ACLMASK_ANY) != ACLCHECK_OK)
		aclcheck_error(may, OBJECT_VIEW, get_rel_name(view));
}

/* Before there is a view, those who may use its schema hear that it is missing. */
static void
refuse_without_release(const char *publication, const char *target)
{
	Oid			schema = get_namespace_oid(target, true);
	AclResult	may = OidIsValid(schema) ? pg_namespace_aclcheck(schema, GetUserId(), ACL_USAGE) : ACLCHECK_OK;

	if (may != ACLCHECK_OK)
		aclcheck_error(may, OBJECT_SCHEMA, target);
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("publication \"%s\" has no release of everybody yet", publication),
			 errhint("Its owner makes one with pprepub.publish().")));
}

/* Finds the view, and the publication's number. */
static Oid
find_view(const char *publication, int32 *number)
{
	CatalogAccess access;
	char	   *target;
	Oid			view = InvalidOid;

	catalog_enter(&access);
	if (catalog_read("SELECT publication, target FROM pprepub.catalog_publication WHERE name = $1", CATALOG_TEXT(publication)) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("publication \"%s\" does not exist", publication)));
	*number = catalog_int(0, "publication");
	target = catalog_text(&access, 0, "target");
	if (catalog_read("SELECT relation::oid AS relation FROM pprepub.catalog_relation WHERE publication = $1 AND part = 'view'",
					 CATALOG_PARAM(INT4OID, Int32GetDatum(*number))) > 0)
		view = catalog_oid(0, "relation");
	catalog_leave(&access);
	if (get_rel_relkind(view) == '\0')
		refuse_without_release(publication, target);
	return view;
}

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

/* A column as the catalog has it, as far as the view shows it. */
typedef struct ShownColumn
{
	char	   *name;
	bool		is_value;		/* sensitive or insensitive */
	Kind		kind;
	char	   *taxonomy;
	int32		tree;
} ShownColumn;

/* A column from the catalog's row; its kind is that of the declaration, which never changes. */
static ShownColumn
read_column(CatalogAccess *access, uint64 row)
{
	ShownColumn column = {.name = catalog_text(access, row, "name")};
	char	   *kind = catalog_text(access, row, "kind");

	column.is_value = strcmp(catalog_text(access, row, "role"), "quasi-identifier") != 0;
	if (!column.is_value)
	{
		DeclaredColumn parsed = {.name = column.name};

		parse_kind(kind, &parsed);
		column.kind = parsed.kind;
		column.taxonomy = catalog_text(access, row, "taxonomy");
		column.tree = catalog_int(row, "tree");
	}
	return column;
}

/* Reads the columns that releases show; *n is set to their number. */
static ShownColumn *
read_columns(int32 publication, int *n)
{
	CatalogAccess access;
	ShownColumn *shown;

	catalog_enter(&access);
	*n = catalog_read("SELECT name, role, kind, taxonomy, tree FROM pprepub.catalog_column"
					  " WHERE publication = $1 AND role NOT IN ('key', 'layout') ORDER BY position",
					  CATALOG_PARAM(INT4OID, Int32GetDatum(publication)));
	shown = MemoryContextAlloc(access.context, sizeof(ShownColumn) * (*n + 1));
	for (int i = 0; i < *n; i++)
		shown[i] = read_column(&access, i);
	catalog_leave(&access);
	return shown;
}

/* Leaves out columns that the view has not: a hidden tuple of several, or one that its owner took away. */
static int
keep_in_view(ShownColumn *shown, int n, Oid view)
{
	int			kept = 0;

	for (int i = 0; i < n; i++)
		if (get_attnum(view, shown[i].name) != InvalidAttrNumber)
			shown[kept++] = shown[i];
	return kept;
}

/* Gives quasi-identifiers the trees that a release was made with, which it notes in the order of their columns. */
static void
set_trees(ShownColumn *shown, int n, const int32 *tree, int ntrees)
{
	for (int i = 0, t = 0; i < n && t < ntrees; i++)
		if (shown[i].tree != 0)
			shown[i].tree = tree[t++];
}

/* Gives columns the trees of the release that the view shows; one that its owner has made anew may show none. */
static void
as_released(int32 publication, Oid view, ShownColumn *shown, int n)
{
	CatalogAccess access;

	catalog_enter(&access);
	if (catalog_read("SELECT trees FROM pprepub.catalog_release WHERE publication = $1 AND relation = $2::oid",
					 CATALOG_PARAM(INT4OID, Int32GetDatum(publication)),
					 CATALOG_PARAM(OIDOID, ObjectIdGetDatum(source_of_pinned(view)))) > 0)
	{
		int			ntrees;
		const int32 *trees = catalog_numbers(0, "trees", &ntrees);

		set_trees(shown, n, trees, ntrees);
	}
	catalog_leave(&access);
}

/* The columns that can be counted by, for hints. */
static char *
list_names(const ShownColumn *shown, int n)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < n; i++)
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", shown[i].name);
	return list.data;
}

static void
refuse_column(const CountedRelease *release, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("the newest release of publication \"%s\" shows no column \"%s\"", release->publication, name),
			 errhint("Columns to count by: %s.", release->shown_columns)));
}

/* The form in which a column of the view is counted. */
static CountColumn
count_column(const ShownColumn *shown, Oid view)
{
	CountColumn column = {.name = shown->name, .form = COUNT_VALUES, .taxonomy = shown->taxonomy, .tree = shown->tree};
	Oid			type = get_atttype(view, get_attnum(view, shown->name));

	column.is_prefix = !shown->is_value && shown->kind == KIND_PREFIX;
	if (!shown->is_value)
		column.form = shown->kind == KIND_RANGE ? COUNT_RANGES : shown->kind == KIND_TAXONOMY ? COUNT_NODES : COUNT_TEXTS;
	if (column.form == COUNT_RANGES && !type_is_range(type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of the view is not a range", column.name),
				 errhint("The next release makes the view anew.")));
	if (column.form == COUNT_RANGES || column.form == COUNT_NODES)
		column.range = lookup_type_cache(column.form == COUNT_RANGES ? type : INT8RANGEOID, TYPECACHE_RANGE_INFO);
	if (column.range != NULL)
		verify_measurable(column.range);
	column.shown = dictionary_create(column.form == COUNT_RANGES ? type : TEXTOID);
	return column;
}

CountedRelease *
counted_release(const char *publication, char *const *by, int nby)
{
	CountedRelease *release = palloc0(sizeof(CountedRelease));
	int32		number;
	ShownColumn *shown;
	int			n;

	release->publication = pstrdup(publication);
	release->view = find_view(publication, &number);
	verify_may_read(release->view);
	LockRelationOid(release->view, AccessShareLock);
	if (get_rel_relkind(release->view) == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the view of publication \"%s\" was dropped meanwhile", publication)));
	shown = read_columns(number, &n);
	as_released(number, release->view, shown, n);
	n = keep_in_view(shown, n, release->view);
	release->shown_columns = list_names(shown, n);
	release->columns = palloc(sizeof(CountColumn) * (nby + 1));
	for (int b = 0; b < nby; b++)
	{
		int			i = 0;

		while (i < n && strcmp(shown[i].name, by[b]) != 0)
			i++;
		if (i == n)
			refuse_column(release, by[b]);
		release->columns[release->ncolumns++] = count_column(&shown[i], release->view);
	}
	return release;
}

/* ----------------------------------------------------------------
 * Cells
 * ----------------------------------------------------------------
 */

/* The leaves of a node that the release shows. */
static RangeType *
leaves_of(const CountColumn *column, const char *node)
{
	int64		first;
	int64		leaves;

	if (!node_leaves(column->tree, node, &first, &leaves))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("column \"%s\" shows a node that its taxonomy lacks", column->name)));
	return leaves_range(first, leaves);
}

/* Notes the leaves of one cell, or its range, and whether it is withheld. */
static void
understand_cell(CountColumn *column, uint32 cell, const char *root)
{
	switch (column->form)
	{
		case COUNT_RANGES:
			column->ranges[cell] = DatumGetRangeTypeP(dictionary_value(column->shown, cell));
			column->is_withheld[cell] = range_is_withheld(column->ranges[cell]);
			break;
		case COUNT_NODES:
			column->ranges[cell] = leaves_of(column, column->texts[cell]);
			column->is_withheld[cell] = strcmp(column->texts[cell], root) == 0;
			break;
		case COUNT_TEXTS:
			column->is_withheld[cell] = strcmp(column->texts[cell], "*") == 0;
			break;
		case COUNT_VALUES:
			break;
	}
}

void
understand_cells(CountColumn *column)
{
	uint32		n = dictionary_size(column->shown);
	char	   *root = column->form == COUNT_NODES ? tree_root(column->tree) : NULL;

	column->ranges = new_zeros(RangeType *, n);
	column->is_withheld = new_zeros(bool, n);
	column->texts = column->form == COUNT_RANGES ? NULL : dictionary_texts(column->shown);
	for (uint32 cell = 1; cell < n; cell++)
	{
		CHECK_FOR_INTERRUPTS();
		understand_cell(column, cell, root);
	}
	if (column->form == COUNT_RANGES)
		set_whole(column);
	if (column->form == COUNT_TEXTS)
		set_finest(column);
}

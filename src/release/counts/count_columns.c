/*
 * count_columns.c
 *		What a release shows, for those who may read it: the view of the newest one, and the columns to count by.
 *
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
#include "catalog/pg_namespace_d.h"
#include "catalog/pg_type.h"
#include "compat.h"
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
	AclResult	may = object_aclcheck(NamespaceRelationId, schema, GetUserId(), ACL_USAGE);

	if (may != ACLCHECK_OK)
		aclcheck_error(may, OBJECT_SCHEMA, get_namespace_name(schema));
	may = pg_class_aclcheck(view, GetUserId(), ACL_SELECT);
	if (may != ACLCHECK_OK && pg_attribute_aclcheck_all(view, GetUserId(), ACL_SELECT, ACLMASK_ANY) != ACLCHECK_OK)
		aclcheck_error(may, OBJECT_VIEW, get_rel_name(view));
}

/* Before there is a view, those who may use its schema hear that it is missing. */
static void
refuse_without_release(const DeclaredPublication *publication)
{
	Oid			schema = get_namespace_oid(publication->target, true);
	AclResult	may = OidIsValid(schema) ? object_aclcheck(NamespaceRelationId, schema, GetUserId(), ACL_USAGE) : ACLCHECK_OK;

	if (may != ACLCHECK_OK)
		aclcheck_error(may, OBJECT_SCHEMA, publication->target);
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("publication \"%s\" has no release of everybody yet", publication->name),
			 errhint("Its owner makes one with pprepub.publish().")));
}

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

/* Does the view show the column?  Its owner may have taken it away. */
static bool
is_shown(const DeclaredColumn *column, Oid view)
{
	return column->role != ROLE_KEY && get_attnum(view, column->name) != InvalidAttrNumber;
}

/* Gives quasi-identifiers the trees that a release was made with, which it notes in the order of their columns. */
static void
set_trees(DeclaredPublication *publication, const int32 *tree, int ntrees)
{
	for (int i = 0, t = 0; i < publication->ncolumns && t < ntrees; i++)
		if (publication->columns[i].role == ROLE_QUASI_IDENTIFIER && publication->columns[i].tree != 0)
			publication->columns[i].tree = tree[t++];
}

/* Gives columns the trees of the release that the view shows; one that its owner has made anew may show none. */
static void
as_released(DeclaredPublication *publication, Oid view)
{
	CatalogAccess access;

	catalog_enter(&access);
	if (catalog_read("SELECT trees FROM pprepub_internal.catalog_release WHERE publication = $1 AND relation = $2::oid",
					 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
					 CATALOG_PARAM(OIDOID, ObjectIdGetDatum(source_of_pinned(view)))) > 0)
	{
		int			ntrees;
		const int32 *trees = catalog_numbers(0, "trees", &ntrees);

		set_trees(publication, trees, ntrees);
	}
	catalog_leave(&access);
}

/* The columns that can be counted by, for hints. */
static char *
list_names(const DeclaredPublication *publication, Oid view)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < publication->ncolumns; i++)
		if (is_shown(&publication->columns[i], view))
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "", publication->columns[i].name);
	return list.data;
}

/* A column that the newest release leaves out gets the error of one that does not exist. */
static const DeclaredColumn *
find_column(const DeclaredPublication *publication, Oid view, const char *name)
{
	for (int i = 0; i < publication->ncolumns; i++)
		if (strcmp(publication->columns[i].name, name) == 0 && is_shown(&publication->columns[i], view))
			return &publication->columns[i];
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("the newest release of publication \"%s\" shows no column \"%s\"", publication->name, name),
			 errhint("Columns to count by: %s.", list_names(publication, view))));
}

static CountForm
form_of(const DeclaredColumn *column)
{
	if (column->role != ROLE_QUASI_IDENTIFIER)
		return COUNT_VALUES;
	return column->kind == KIND_RANGE ? COUNT_RANGES : column->kind == KIND_TAXONOMY ? COUNT_NODES : COUNT_TEXTS;
}

/* A column of the view as it is counted. */
static CountColumn
count_column(const DeclaredColumn *shown, Oid view)
{
	CountColumn column = {.name = shown->name, .form = form_of(shown), .taxonomy = shown->taxonomy, .tree = shown->tree};
	Oid			type = get_atttype(view, get_attnum(view, shown->name));

	column.is_prefix = column.form == COUNT_TEXTS && shown->kind == KIND_PREFIX;
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
counted_release(const char *name, char *const *by, int nby)
{
	CountedRelease *release = palloc0(sizeof(CountedRelease));
	DeclaredPublication *publication = publication_declared(name);

	release->view = noted_relation(publication, "view");
	if (!OidIsValid(release->view))
		refuse_without_release(publication);
	verify_may_read(release->view);
	LockRelationOid(release->view, AccessShareLock);
	if (get_rel_relkind(release->view) == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the view of publication \"%s\" was dropped meanwhile", publication->name)));
	as_released(publication, release->view);
	release->columns = palloc(sizeof(CountColumn) * (nby + 1));
	for (int b = 0; b < nby; b++)
		release->columns[release->ncolumns++] = count_column(find_column(publication, release->view, by[b]), release->view);
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

/*
 * create.c
 *		create_publication(): from one call to a pinned view and a catalog row.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/parameters.h"
#include "declare/publication.h"
#include "declare/shard.h"
#include "declare/shown_lists.h"
#include "declare/target_objects.h"
#include "declare/taxonomy.h"
#include "declare/warn_owner.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

/* The elements of an array, without NULLs. */
static Datum *
list_elements(ArrayType *array, const char *what, int *count)
{
	Datum	   *values;
	bool	   *nulls;
	int16		length;
	bool		byval;
	char		align;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &byval, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, byval, align, &values, &nulls, count);
	for (int i = 0; i < *count; i++)
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s must not hold a null", what)));
	return values;
}

/* ---- Several sensitive columns ---- */

static bool
is_listed(char *const *names, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* An error if the name at this place of a list stands before it, too. */
static void
verify_listed_once(char *const *names, int place)
{
	if (is_listed(names, place, names[place]))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_COLUMN),
				 errmsg("column \"%s\" is listed twice", names[place])));
}

/* Cuts a name off where identifiers end, as the type name does. */
static char *
as_name(const char *words)
{
	return pstrdup(NameStr(*DatumGetName(DirectFunctionCall1(namein, CStringGetDatum(words)))));
}

/* Reads a name, or a list in braces: "disease", "{disease, income}"; a list of none, of NULLs, or of one twice is an error. */
static char **
parse_sensitive(const char *words, int *n)
{
	char	  **names = palloc(sizeof(char *));
	ArrayType  *list;
	Datum	   *values;

	*n = 1;
	if (words[0] != '{')
	{
		names[0] = as_name(words);
		return names;
	}
	list = DatumGetArrayTypeP(OidFunctionCall3(F_ARRAY_IN, CStringGetDatum(words), ObjectIdGetDatum(TEXTOID), Int32GetDatum(-1)));
	if (ARR_NDIM(list) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("the list of sensitive columns must have one dimension")));
	values = list_elements(list, "the list of sensitive columns", n);
	if (*n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the list of sensitive columns is empty"),
				 errhint("Name one column, sensitive => 'disease', or several: sensitive => '{disease, income}'.")));
	names = palloc(sizeof(char *) * *n);
	for (int i = 0; i < *n; i++)
	{
		names[i] = as_name(TextDatumGetCString(values[i]));
		verify_listed_once(names, i);
	}
	return names;
}

/* ---- The tuple ---- */

/* Is it the tuple of several columns? */
static bool
is_tuple(const DeclaredPublication *publication, const DeclaredColumn *column)
{
	return column->role == ROLE_SENSITIVE && column >= publication->columns + publication->ncolumns;
}

/* Creates the tuple's type, or that of several rows, and sets it, if the publication has one.  As the owner, inside SPI. */
static void
create_tuple_type(DeclaredPublication *publication)
{
	DeclaredColumn *tuple = &publication->columns[publication->ncolumns];
	StringInfoData columns;

	if (publication->nhidden == 0 || !is_tuple(publication, tuple))
		return;
	initStringInfo(&columns);
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role == ROLE_SENSITIVE_PART)
			appendStringInfo(&columns, "%s%s %s", columns.len > 0 ? ", " : "", quote_identifier(publication->columns[i].name),
							 column_type_sql(&publication->columns[i]));
	tuple->type = get_rel_type_id(make_relation(publication, publication->private, "_sensitive", "TYPE", psprintf("AS (%s)", columns.data)));
	if (has_several_rows(publication))
		tuple->type = get_rel_type_id(make_relation(publication, publication->private, "_rows", "TYPE",
													psprintf("AS (tuples %s[])", quoted_private(publication, "_sensitive"))));
}

/* The tuple as a statement computes it from columns of these names. */
static char *
tuple_sql(const DeclaredPublication *publication, const char *const *names)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role == ROLE_SENSITIVE_PART)
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "", quote_identifier(names[i]));
	if (has_several_rows(publication))	/* a row counts, whatever it holds */
		return psprintf("ROW(ARRAY[ROW(%s)::%s])::%s", list.data, quoted_private(publication, "_sensitive"), quoted_private(publication, "_rows"));
	/* IS NULL would look into columns that are rows themselves. */
	return psprintf("CASE WHEN pg_catalog.num_nonnulls(%s) OPERATOR(pg_catalog.>) 0 THEN ROW(%s)::%s END",
					list.data, list.data, quoted_private(publication, "_sensitive"));
}

char *
pinned_view_sql(const DeclaredPublication *publication, const char *const *names)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < publication->ncolumns + publication->nhidden; i++)
		appendStringInfo(&sql, "%s%s AS %s", i > 0 ? ", " : "AS SELECT ",
						 is_tuple(publication, &publication->columns[i]) ? tuple_sql(publication, names) : quote_identifier(names[i]),
						 quote_identifier(publication->columns[i].name));
	appendStringInfo(&sql, " FROM %s", quoted_relation(publication->source));
	if (publication->shard != NULL)
		appendStringInfo(&sql, " WHERE (%s)", publication->shard);
	if (OidIsValid(noted_relation(publication, "secret")))
		appendStringInfo(&sql, " AND %s", guard_sql(publication, names[publication_column(publication, ROLE_KEY) - publication->columns]));
	return sql.data;
}

#define MAX_NAME_BYTES 48

/* The arguments of create_publication(), and the publication that they declare. */
typedef struct Declaration
{
	DeclaredPublication publication;
	const MethodDeclaration *method;
	char	   *key;
	char	  **sensitive;
	int			nsensitive;
	char	  **insensitive;
	int			ninsensitive;
	Jsonb	   *quasi_identifiers;
	Jsonb	   *params;			/* as given */
	char	  **beside;
	int			nbeside;
} Declaration;

PG_FUNCTION_INFO_V1(pprepub_create_publication);

/* ---- Arguments ---- */

static char *
name_value(FunctionCallInfo fcinfo, int n, const char *what)
{
	verify_not_null(fcinfo, n, what);
	return pstrdup(NameStr(*PG_GETARG_NAME(n)));
}

/* Reads an argument that is an array of names. */
static char **
name_list(FunctionCallInfo fcinfo, int n, const char *what, int *count)
{
	Datum	   *values;
	char	  **names;

	verify_not_null(fcinfo, n, what);
	values = list_elements(PG_GETARG_ARRAYTYPE_P(n), what, count);
	names = palloc(sizeof(char *) * (*count + 1));
	for (int i = 0; i < *count; i++)
		names[i] = pstrdup(NameStr(*DatumGetName(values[i])));
	return names;
}

/* How many rows of a person a release shows. */
static int32
read_rows_each(FunctionCallInfo fcinfo, const Declaration *declaration)
{
	char	   *rows = text_argument(fcinfo, 11, "the argument rows");
	int32		most;

	verify_not_null(fcinfo, 12, "the most rows of a person");
	most = PG_GETARG_INT32(12);
	if (strcmp(rows, "one") == 0)
		return 1;
	if (strcmp(rows, "several") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a person has 'one' or 'several' rows, not \"%s\"", rows),
				 errhint("With rows => 'several' the key repeats, and a person is all rows that have it.")));
	if (!declaration->method->several_rows)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("method \"%s\" takes one row for each person", declaration->method->name),
				 errhint("Methods that take several: %s.", list_methods(METHODS_OF_SEVERAL_ROWS))));
	if (most < 2 || most > MOST_ROWS_EACH)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_rows must be from 2 to %d", MOST_ROWS_EACH),
				 errhint("A release shows so many rows of a person at most; others stay back.")));
	return most;
}

/* Reads all arguments, and checks those that can be checked without the source. */
static void
read_arguments(FunctionCallInfo fcinfo, Declaration *declaration)
{
	DeclaredPublication *publication = &declaration->publication;
	Datum	   *lookups;

	publication->name = text_argument(fcinfo, 0, "the name of a publication");
	if (publication->name[0] == '\0' || strlen(publication->name) > MAX_NAME_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("the name of a publication must have 1 to %d bytes", MAX_NAME_BYTES),
				 errhint("Its releases are named after it, with a number appended.")));
	verify_not_null(fcinfo, 1, "the source");
	publication->source = PG_GETARG_OID(1);
	declaration->key = name_value(fcinfo, 2, "the key");
	verify_not_null(fcinfo, 3, "the quasi-identifiers");
	declaration->quasi_identifiers = PG_GETARG_JSONB_P(3);
	declaration->sensitive = parse_sensitive(text_argument(fcinfo, 4, "the sensitive column"), &declaration->nsensitive);
	publication->method = text_argument(fcinfo, 5, "the method");
	declaration->method = method_declaration(publication->method);
	verify_not_null(fcinfo, 6, "the parameters");
	refuse_arguments(PG_GETARG_JSONB_P(6), NULL);
	declaration->params = resolve_tables(declaration->method, PG_GETARG_JSONB_P(6));
	publication->params = check_parameters(declaration->method, declaration->params, NULL);
	declaration->insensitive = name_list(fcinfo, 7, "the insensitive columns",
										 &declaration->ninsensitive);
	publication->target = name_value(fcinfo, 8, "the target schema");
	if (publication->target[0] == '\0' || strlen(publication->target) + strlen("_private") >= NAMEDATALEN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("the name of the target schema must have 1 to %d bytes",
						(int) (NAMEDATALEN - 1 - strlen("_private")))));
	if (strcmp(publication->target, "pprepub") == 0 || strcmp(publication->target, "pprepub_internal") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_RESERVED_NAME),
				 errmsg("releases cannot stand in schema \"%s\"", publication->target),
				 errhint("Name another schema with target => '…'.")));
	publication->private = psprintf("%s_private", publication->target);
	declaration->beside = name_list(fcinfo, 9, "the publications beside", &declaration->nbeside);
	publication->beside = palloc(sizeof(int32) * (declaration->nbeside + 1));
	verify_not_null(fcinfo, 10, "the lookup tables");
	lookups = list_elements(PG_GETARG_ARRAYTYPE_P(10), "the lookup tables", &publication->nlookups);
	publication->lookups = palloc(sizeof(Oid) * (publication->nlookups + 1));
	for (int i = 0; i < publication->nlookups; i++)
		publication->lookups[i] = DatumGetObjectId(lookups[i]);
	publication->max_rows = read_rows_each(fcinfo, declaration);
}

/* ---- The source and its columns ---- */

/*
 * Raises an error unless the caller may publish the source: it is no temporary table, and the caller has its owner's
 * rights.
 */
static void
verify_source(DeclaredPublication *publication)
{
	verify_source_kind(publication->source);
	if (get_rel_persistence(publication->source) == RELPERSISTENCE_TEMP)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("\"%s\" cannot be published", get_rel_name(publication->source)),
				 errdetail("It is temporary, and a publication outlives the session."),
				 errhint("Publish a permanent table, or a materialized view.")));
	publication->owner = relation_owner(publication->source);
	if (!has_rights_of(publication->owner))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(publication->source)),
					   get_rel_name(publication->source));
}

static const JsonbValue *
declared_kind(const Declaration *declaration, const char *column)
{
	return getKeyJsonValueFromContainer(&declaration->quasi_identifiers->root,
										column, strlen(column), NULL);
}

/* Do several sensitive columns make a tuple, or several rows a value? */
static bool
has_hidden_tuple(const Declaration *declaration)
{
	return declaration->nsensitive > 1 || has_several_rows(&declaration->publication);
}

/* Sets *role to the one role of a column; false if the column was not declared. */
static bool
find_role(const Declaration *declaration, const char *column, ColumnRole *role)
{
	int			roles = 0;

	if (strcmp(column, declaration->key) == 0)
		*role = ROLE_KEY, roles++;
	if (is_listed(declaration->sensitive, declaration->nsensitive, column))
		*role = has_hidden_tuple(declaration) ? ROLE_SENSITIVE_PART : ROLE_SENSITIVE, roles++;
	if (declared_kind(declaration, column) != NULL)
		*role = ROLE_QUASI_IDENTIFIER, roles++;
	if (is_listed(declaration->insensitive, declaration->ninsensitive, column))
		*role = ROLE_INSENSITIVE, roles++;
	if (roles > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_COLUMN_DEFINITION),
				 errmsg("column \"%s\" is declared in two roles", column),
				 errdetail("A column is either the key, a quasi-identifier, sensitive or insensitive.")));
	return roles == 1;
}

/* The key's type must be hashed and sorted, the sensitive column's hashed. */
static void
verify_equality(const DeclaredColumn *column, bool order, const char *use)
{
	TypeCacheEntry *entry = lookup_type_cache(column->type, TYPECACHE_HASH_PROC | TYPECACHE_EQ_OPR |
											  TYPECACHE_CMP_PROC);

	if (!OidIsValid(entry->hash_proc) || !OidIsValid(entry->eq_opr) ||
		(order && !OidIsValid(entry->cmp_proc)))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of type %s cannot be the %s",
						column->name, format_type_be(column->type), use),
				 errdetail("Its type lacks operators for %s.",
						   order ? "hashing and sorting" : "hashing"),
				 errhint("Declare a view that %s.", column->type == MONEYOID ? cast_words(column) : "casts the column, for example to text or jsonb")));
}

/*
 * Refuses arrays of types that print names, which ALTER … RENAME can change.  The history keeps values of a type that has no
 * array type as text, and arrays have none.
 */
static void
verify_lasting(const char *column, Oid type, const char *use)
{
	static const Oid registered[] = {
		REGPROCOID, REGPROCEDUREOID, REGOPEROID, REGOPERATOROID, REGCLASSOID, REGTYPEOID, REGROLEOID, REGNAMESPACEOID,
		REGCONFIGOID, REGDICTIONARYOID, REGCOLLATIONOID
	};
	Oid			element = get_element_type(type);
	bool		prints_names;

	if (!OidIsValid(element))
		return;
	element = getBaseType(element);
	prints_names = get_typtype(element) == TYPTYPE_ENUM;
	for (int i = 0; i < (int) lengthof(registered); i++)
		prints_names |= element == registered[i];
	if (prints_names && !OidIsValid(get_array_type(type)))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of type %s cannot be the %s",
						column, format_type_be(type), use),
				 errdetail("Its values would be remembered as text, which changes when something is renamed."),
				 errhint("Declare a view that casts the column, for example to text.")));
}

/* Checks a column against its role, and reads a quasi-identifier's kind. */
static void
declare_column(const Declaration *declaration, DeclaredColumn *column)
{
	const JsonbValue *kind;

	/* Columns of a release, and arguments of TARGET.NAME(), have these names already. */
	if (strcmp(column->name, "class") == 0 || strcmp(column->name, "cohort") == 0 || strcmp(column->name, "columns") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_RESERVED_NAME),
				 errmsg("column name \"%s\" is reserved", column->name),
				 errhint("Declare a view of the source in which the column has another name.")));
	switch (column->role)
	{
		case ROLE_KEY:
			verify_equality(column, true, "key");
			verify_lasting(column->name, column->type, "key");
			break;
		case ROLE_SENSITIVE:
		case ROLE_SENSITIVE_PART:
			verify_equality(column, has_several_rows(&declaration->publication), "sensitive column");
			if (column->role == ROLE_SENSITIVE) /* tuples are not remembered as text */
				verify_lasting(column->name, column->type, "sensitive column");
			break;
		case ROLE_INSENSITIVE:
		case ROLE_LAYOUT:
			break;
		case ROLE_QUASI_IDENTIFIER:
			kind = declared_kind(declaration, column->name);
			if (kind->type != jbvString)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("the kind of quasi-identifier \"%s\" must be a string", column->name),
						 errhint(KINDS_HINT)));
			parse_kind(pnstrdup(kind->val.string.val, kind->val.string.len), column);
			verify_kind(column);
			break;
	}
}

static void
verify_known(const Declaration *declaration, const char *name, TupleDesc tuple)
{
	if (column_index(&declaration->publication, name, false) < 0)
		refuse_unknown_column(&declaration->publication, name, tuple);
}

/*
 * Checks that every name in the call is a column of the source, none is named twice, and the method takes insensitive
 * columns if there are any.  Returns the number of quasi-identifiers.
 */
static int
verify_names(const Declaration *declaration, TupleDesc tuple)
{
	JsonbIterator *iterator = JsonbIteratorInit(&declaration->quasi_identifiers->root);
	JsonbValue	item;
	JsonbIteratorToken token;
	int			nqis = 0;

	for (int i = 0; i < declaration->nsensitive; i++)
		verify_known(declaration, declaration->sensitive[i], tuple);
	if (declaration->nsensitive > 1 && !declaration->method->several)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("method \"%s\" has one sensitive column", declaration->method->name),
				 errdetail("Sensitive are to be %d columns.", declaration->nsensitive),
				 errhint("Methods that have several: %s.", list_methods(METHODS_OF_SEVERAL_COLUMNS))));
	for (int i = 0; i < declaration->ninsensitive; i++)
	{
		verify_known(declaration, declaration->insensitive[i], tuple);
		verify_listed_once(declaration->insensitive, i);
	}
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
		if (token == WJB_KEY)
		{
			verify_known(declaration, pnstrdup(item.val.string.val, item.val.string.len), tuple);
			nqis++;
		}
	if (declaration->ninsensitive > 0 && !declaration->method->insensitive &&
		!param_is_set(declaration->method, declaration->publication.params, "accept_insensitive"))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("method \"%s\" has no insensitive columns", declaration->method->name),
				 find_parameter(declaration->method, "accept_insensitive") == NULL ? 0 :
				 errdetail("They would leave as they are, and tell the rows of a class apart."),
				 find_parameter(declaration->method, "accept_insensitive") == NULL ? 0 :
				 errhint("If that is what you want, say so: add \"accept_insensitive\": true to the parameters.")));
	return nqis;
}

/* Gives the source's columns their roles, behind those that are declared; one without a role is left out of the pinned view. */
static void
give_roles(Declaration *declaration, TupleDesc tuple, int32 came)
{
	DeclaredPublication *publication = &declaration->publication;

	if (!JB_ROOT_IS_OBJECT(declaration->quasi_identifiers))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("quasi-identifiers must be a JSON object"),
				 errhint("Give each a kind: {\"age\": \"range\", \"zip\": \"prefix\"}.")));
	for (int i = 0; i < tuple->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(tuple, i);
		DeclaredColumn *column = &publication->columns[publication->ncolumns];

		column->name = pstrdup(NameStr(attribute->attname));
		if (attribute->attisdropped || !find_role(declaration, column->name, &column->role))
			continue;
		column->typmod = attribute->atttypmod;
		column->type = getBaseTypeAndTypmod(attribute->atttypid, &column->typmod);
		column->collation = attribute->attcollation;
		column->came = came;
		publication->ncolumns++;
	}
}

/* Checks the columns of a new publication, and adds those that are hidden. */
static void
declare_columns(Declaration *declaration)
{
	DeclaredPublication *publication = &declaration->publication;
	Relation	source = relation_open(publication->source, AccessShareLock);
	TupleDesc	tuple = RelationGetDescr(source);

	publication->columns = palloc0(sizeof(DeclaredColumn) * (tuple->natts + 1));
	give_roles(declaration, tuple, 0);
	if (strpbrk(declaration->key, "{,") != NULL && source_attribute(tuple, declaration->key) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the key is one column, not \"%s\"", declaration->key),
				 errhint("Declare a view that makes one of several, SELECT jsonb_build_array(a, b) AS key, …; or, if one of them names the person, rows => 'several'.")));
	verify_known(declaration, declaration->key, tuple);
	if (verify_names(declaration, tuple) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a publication needs at least one quasi-identifier"),
				 errhint("Quasi-identifiers are what others may know of a person: {\"age\": \"range\", \"zip\": \"prefix\"}.")));
	for (int i = 0; i < publication->ncolumns; i++)
		declare_column(declaration, &publication->columns[i]);
	if (has_hidden_tuple(declaration))
	{
		char	   *name = pstrdup("sensitive_tuple");

		/* Adds the tuple behind the declared columns; its name is none of the source's.  There must be room. */
		while (source_attribute(tuple, name) != NULL)
			name = psprintf("%s_", name);
		publication->columns[publication->ncolumns + publication->nhidden++] = (DeclaredColumn) {
			.name = as_name(name),
			.role = ROLE_SENSITIVE,
			.typmod = -1,
		};
	}
	declare_layout_columns(publication, tuple);
	set_bands(publication, publication->params);
	relation_close(source, NoLock);
}

/*
 * Finds the trees of the taxonomies that columns from this one on name.  A ladder is for numbers; any other taxonomy
 * compares the values' text.
 */
static void
find_trees(DeclaredPublication *publication, int from)
{
	CatalogAccess access;

	catalog_enter(&access);
	for (int i = from; i < publication->ncolumns; i++)
	{
		DeclaredColumn *column = &publication->columns[i];

		if (column->taxonomy == NULL || column->role != ROLE_QUASI_IDENTIFIER)
			continue;
		column->tree = find_taxonomy(column->taxonomy);
		if (!is_number(column->type) && tree_is_ladder(column->tree))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of type %s cannot be generalized by taxonomy \"%s\"",
							column->name, format_type_be(column->type), column->taxonomy),
					 errdetail("The taxonomy is a ladder of intervals over numbers."),
					 errhint("Create a taxonomy of the column's values with pprepub.create_taxonomy().")));
	}
	catalog_leave(&access);
}

/* Inside catalog_enter(): looks up the publications that the call names as declared beside this one. */
static void
find_beside(Declaration *declaration)
{
	DeclaredPublication *publication = &declaration->publication;

	for (int i = 0; i < declaration->nbeside; i++)
	{
		if (catalog_read("SELECT publication FROM pprepub_internal.catalog_publication WHERE name = $1",
						 CATALOG_TEXT(declaration->beside[i])) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_OBJECT),
					 errmsg("publication \"%s\" does not exist", declaration->beside[i]),
					 errhint("Argument beside names publications that are declared already.")));
		publication->beside[publication->nbeside++] = catalog_int(0, "publication");
	}
}

/* ---- Objects, and the catalog ---- */

/*
 * Creates TARGET_private.NAME_lookups, which names the tables without people: a view follows tables that are renamed or
 * restored, and holds them.
 */
static void
create_lookups_view(const DeclaredPublication *publication)
{
	StringInfoData list;

	if (publication->nlookups == 0)
		return;
	initStringInfo(&list);
	for (int i = 0; i < publication->nlookups; i++)
		appendStringInfo(&list, "%s%s::pg_catalog.regclass", i == 0 ? "" : ", ", quote_literal_cstr(quoted_relation(publication->lookups[i])));
	(void) make_relation(publication, publication->private, "_lookups", "VIEW",
						 psprintf("AS SELECT pg_catalog.unnest(ARRAY[%s]) AS lookup", list.data));
}

/* Inserts the publication and its columns into the catalog. */
static void
store_publication(DeclaredPublication *publication)
{
	CatalogAccess access;
	Datum	   *beside = palloc(sizeof(Datum) * (publication->nbeside + 1));

	for (int i = 0; i < publication->nbeside; i++)
		beside[i] = Int32GetDatum(publication->beside[i]);
	catalog_enter(&access);
	catalog_execute("INSERT INTO pprepub_internal.catalog_publication (name, owner, pinned, method, params, target, beside, max_rows, shard, shard_of_key)"
					" VALUES ($1, $2, $3, $4, $5, $6::text::name, $7, $8, $9, $10) RETURNING publication",
					CATALOG_TEXT(publication->name), CATALOG_PARAM(REGROLEOID, ObjectIdGetDatum(publication->owner)),
					CATALOG_PARAM(REGCLASSOID, ObjectIdGetDatum(publication->pinned)), CATALOG_TEXT(publication->method),
					CATALOG_PARAM(JSONBOID, JsonbPGetDatum(publication->params)), CATALOG_TEXT(publication->target),
					CATALOG_PARAM(INT4ARRAYOID, PointerGetDatum(construct_array(beside, publication->nbeside, INT4OID, 4, true, TYPALIGN_INT))),
					CATALOG_INT(publication->max_rows), CATALOG_TEXT(publication->shard), CATALOG_PARAM(BOOLOID, BoolGetDatum(publication->shard_of_key)));
	publication->id = catalog_int(0, "publication");
	catalog_leave(&access);
	note_columns(publication, 0);
	note_relation(publication, publication->pinned, "source");
	if (publication->nlookups > 0)
		note_relation(publication, relation_in_private(publication, "_lookups"), "lookups");
	if (method_declaration(publication->method)->answers)
		note_relation(publication, relation_in_target(publication, "_now"), "live");
	note_shown_lists(publication);
	if (is_tuple(publication, publication_column(publication, ROLE_SENSITIVE)))
		note_relation(publication, relation_in_private(publication, "_sensitive"), "sensitive_tuple");
	if (has_several_rows(publication))
		note_relation(publication, relation_in_private(publication, "_rows"), "sensitive_rows");
}

/* Creates, as the owner, the schemas, the pinned view, and what stands in TARGET before there are releases. */
static void
make_objects(DeclaredPublication *publication)
{
	const char **names = palloc(sizeof(char *) * (publication->ncolumns + publication->nhidden));
	Identity	caller;

	for (int i = 0; i < publication->ncolumns + publication->nhidden; i++)
		names[i] = publication->columns[i].name;
	act_as(&caller, publication->owner);
	SPI_connect();
	ensure_schemas(publication);
	create_tuple_type(publication);
	publication->pinned = make_relation(publication, publication->private, "_source", "VIEW", pinned_view_sql(publication, names));
	create_lookups_view(publication);
	create_answer_function(publication);
	create_counts_function(publication);
	ensure_noise_functions(publication);
	create_live_table(publication);
	create_shown_lists(publication);
	SPI_finish();
	act_as_before(&caller);
}

Datum
pprepub_create_publication(PG_FUNCTION_ARGS)
{
	Declaration declaration = {0};
	DeclaredPublication *publication = &declaration.publication;
	CatalogAccess access;

	verify_may_change("create_publication()");
	read_arguments(fcinfo, &declaration);
	verify_source(publication);
	declare_columns(&declaration);
	find_trees(publication, 0);
	if (!PG_ARGISNULL(13))
		declare_shard(publication, text_to_cstring(PG_GETARG_TEXT_PP(13)), declaration.key);

	/* One declaration at a time, or two could each miss the other. */
	LockRelationOid(catalog_relation("catalog_publication"), ShareUpdateExclusiveLock);
	catalog_enter(&access);
	catalog_read("SELECT wrong FROM pprepub_internal.name_in_the_way($1, $2, $3)",
				 CATALOG_TEXT(publication->name), CATALOG_TEXT(publication->target), CATALOG_TEXT(publication->private));
	catalog_raise();
	find_beside(&declaration);
	catalog_leave(&access);
	verify_shares_no_data(publication);
	verify_lookups(publication, declaration.key);

	make_objects(publication);
	store_publication(publication);
	ensure_catalog_view(publication);
	copy_tables(publication, publication->params, false);
	warn_of_unlogged_tables(publication);
	warn_of_several_rows(publication);
	warn_of_unique_insensitive(publication, true);
	warn_of_unique_sensitive(publication);
	warn_of_stand_ins(publication, NULL);
	declare_hooks->look_at_source(publication, NULL);
	PG_RETURN_VOID();
}

/* ---- Columns that come later ---- */

int
add_columns(DeclaredPublication *publication, FunctionCallInfo fcinfo)
{
	Declaration declaration = {.publication = *publication, .method = method_declaration(publication->method), .key = ""};
	DeclaredPublication *added = &declaration.publication;
	int			from = publication->ncolumns;
	Relation	source = relation_open(publication->source, AccessShareLock);
	TupleDesc	tuple = RelationGetDescr(source);

	verify_not_null(fcinfo, 2, "the quasi-identifiers");
	declaration.quasi_identifiers = PG_GETARG_JSONB_P(2);
	declaration.insensitive = name_list(fcinfo, 3, "the insensitive columns", &declaration.ninsensitive);
	if (JB_ROOT_IS_OBJECT(PG_GETARG_JSONB_P(1)))	/* they may accept insensitive columns */
		added->params = DatumGetJsonbP(DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(publication->params), JsonbPGetDatum(PG_GETARG_JSONB_P(1))));
	added->columns = palloc0(sizeof(DeclaredColumn) * (from + tuple->natts + publication->nhidden));
	memcpy(added->columns, publication->columns, sizeof(DeclaredColumn) * from);
	give_roles(&declaration, tuple, publication->releases + 1);
	(void) verify_names(&declaration, tuple);
	for (int i = from; i < added->ncolumns; i++)
	{
		static const char *const taken[] = {"cells", "release", "published_at", "rows"};

		if (column_index(publication, added->columns[i].name, true) >= 0)
			refuse_role(publication, added->columns[i].name);
		/* Tables that were made before have columns of these names beside those of the publication. */
		for (int t = 0; t < (int) lengthof(taken); t++)
			if (strcmp(added->columns[i].name, taken[t]) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_RESERVED_NAME),
						 errmsg("a column named \"%s\" cannot be added", taken[t]),
						 errhint("Declare a view of the source in which the column has another name.")));
		declare_column(&declaration, &added->columns[i]);
	}
	find_trees(added, from);
	memcpy(added->columns + added->ncolumns, publication->columns + from, sizeof(DeclaredColumn) * publication->nhidden);
	relation_close(source, NoLock);
	if (added->ncolumns > from)
		take_columns(publication, added);
	return publication->ncolumns - from;
}

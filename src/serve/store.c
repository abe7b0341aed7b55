/*
 * store.c
 *		A judged draft as a table of TARGET, and as rows of the log.
 *
 * NOTES
 *		Classes are shuffled and numbered in that order; their rows are shuffled
 *		too.  A class's cells are printed once for all of its rows.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "declare/protection.h"
#include "frame/print.h"
#include "history/remember.h"
#include "history/writer.h"
#include "miscadmin.h"
#include "serve/checksum.h"
#include "serve/release.h"
#include "serve/shuffle.h"
#include "serve/stopwatch.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* A release on its way into its tables. */
typedef struct StoreState
{
	const Making *making;
	RowWriter  *release;
	Checksum   *checksum;

	/* A row of the release: what changes from class to class, and row to row */
	int			natts;
	Datum	   *values;
	bool	   *nulls;
	MemoryContext cells;		/* printed cells of the class at hand */
	RowSum		class_sum;		/* of what all rows of the class have in common */
	RowSum	  **plain_sum;		/* [natts] of plain columns: [codes + 1], NULL's first; zeros where not yet known */
} StoreState;

/* ----------------------------------------------------------------
 * The table
 * ----------------------------------------------------------------
 */

static char *
released_type_words(const DeclaredColumn *column)
{
	if (column->role == ROLE_QUASI_IDENTIFIER)
		return format_type_extended(printed_type(column->kind, column->type), -1,
									FORMAT_TYPE_FORCE_QUALIFY);
	return column_type_words(column);
}

static Oid
create_table(const DeclaredPublication *publication, int32 number)
{
	StringInfoData sql;
	char	   *suffix = psprintf("_%d", number);
	char	   *name = psprintf("%s%s", publication->name, suffix);
	char	   *words = target_words(publication, suffix);
	Oid			schema = get_namespace_oid(publication->target, false);
	Oid			table;

	verify_name_is_not_taken(publication, publication->target, name);
	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE TABLE %s (class pg_catalog.int8", words);
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role != ROLE_KEY)
			appendStringInfo(&sql, ", %s %s", quote_identifier(publication->columns[i].name),
							 released_type_words(&publication->columns[i]));
	appendStringInfoChar(&sql, ')');
	execute_ddl(sql.data);
	table = get_relname_relid(name, schema);
	reset_rights(RelationRelationId, table, psprintf("TABLE %s", words));
	return table;
}

/* Who may read the view of the newest release may read the release itself. */
static void
copy_grants(Oid view, Oid table)
{
	Acl		   *acl = rights_on(RelationRelationId, view);
	Oid			owner = relation_owner(view);

	for (int i = 0; acl != NULL && i < ACL_NUM(acl); i++)
	{
		Oid			grantee = ACL_DAT(acl)[i].ai_grantee;

		if (grantee == owner || (ACLITEM_GET_PRIVS(ACL_DAT(acl)[i]) & ACL_SELECT) == 0)
			continue;
		execute_ddl(psprintf("GRANT SELECT ON %s TO %s", relation_words(table),
							 grantee == ACL_ID_PUBLIC ? "PUBLIC" :
							 quote_identifier(GetUserNameFromId(grantee, false))));
	}
}

/* The view of the newest release, made with the first one. */
static void
point_view_at(const DeclaredPublication *publication, Oid table)
{
	StringInfoData sql;
	char	   *words = target_words(publication, "");
	Oid			schema = get_namespace_oid(publication->target, false);
	Oid			view = get_relname_relid(publication->name, schema);
	bool		is_new = !OidIsValid(view);

	if (is_new || view != noted_relation(publication, "view"))
		verify_name_is_not_taken(publication, publication->target, publication->name);
	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE OR REPLACE VIEW %s AS SELECT class", words);
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role != ROLE_KEY)
			appendStringInfo(&sql, ", %s", quote_identifier(publication->columns[i].name));
	appendStringInfo(&sql, " FROM %s", relation_words(table));
	execute_ddl(sql.data);
	if (is_new)
	{
		view = get_relname_relid(publication->name, schema);
		reset_rights(RelationRelationId, view, psprintf("TABLE %s", words));
		note_relation(publication, view, "view");
	}
	else
		copy_grants(view, table);
}

/* ----------------------------------------------------------------
 * Its rows
 * ----------------------------------------------------------------
 */

static RowSum
set_plain(StoreState *state, int attribute, const PlainColumn *plain, Code code)
{
	RowSum	   *sum = &state->plain_sum[attribute][code + 1];	/* NO_CODE + 1 is 0 */

	state->nulls[attribute] = code == NO_CODE;
	state->values[attribute] = code == NO_CODE ? (Datum) 0 : plain->values[code];
	if (sum->lane[0] == 0 && sum->lane[1] == 0)
		*sum = checksum_value(state->checksum, attribute, state->values[attribute], state->nulls[attribute]);
	return *sum;
}

static void
know_plain(StoreState *state, int attribute, const PlainColumn *plain)
{
	state->plain_sum[attribute] = palloc_extended(sizeof(RowSum) * ((Size) plain->ncodes + 1),
												  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* The columns that the release leaves out are the same for all of its rows; others differ from row to row. */
static void
set_columns(StoreState *state)
{
	const DeclaredPublication *publication = state->making->publication;
	const LoadedFrame *loaded = state->making->loaded;
	int			attribute = 1;
	int			insensitive = 0;

	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];

		if (column->role == ROLE_KEY)
			continue;
		state->nulls[attribute] = !loaded->shown[i] && column->role != ROLE_QUASI_IDENTIFIER;
		if (!loaded->shown[i] && column->role == ROLE_QUASI_IDENTIFIER)
			state->values[attribute] = print_withheld(column);
		if (loaded->shown[i] && column->role == ROLE_SENSITIVE)
			know_plain(state, attribute, &loaded->sensitive);
		if (loaded->shown[i] && column->role == ROLE_INSENSITIVE)
			know_plain(state, attribute, &loaded->insensitive[insensitive++]);
		attribute++;
	}
}

/* The columns that are the same for all rows of a class. */
static void
set_class(StoreState *state, uint32 c, int64 number)
{
	const LoadedFrame *loaded = state->making->loaded;
	const DeclaredPublication *publication = state->making->publication;
	const Span *region = class_region(state->making->draft->classes, c);
	MemoryContext old;
	int			attribute = 0;
	int			q = 0;

	MemoryContextReset(state->cells);
	old = MemoryContextSwitchTo(state->cells);
	state->values[attribute] = Int64GetDatum(number);
	state->nulls[attribute++] = false;
	for (int i = 0; i < publication->ncolumns; i++)
	{
		if (publication->columns[i].role == ROLE_KEY)
			continue;
		if (publication->columns[i].role == ROLE_QUASI_IDENTIFIER && loaded->shown[i])
		{
			state->values[attribute] = print_cell(loaded->codings[q], region[q],
												  &state->nulls[attribute]);
			q++;
		}
		attribute++;
	}
	MemoryContextSwitchTo(old);
	state->class_sum = (RowSum) {{0, 0}};
	for (int a = 0; a < state->natts; a++)
		if (state->plain_sum[a] == NULL)
			state->class_sum = row_sum(state->class_sum,
									   checksum_value(state->checksum, a, state->values[a], state->nulls[a]));
}

/* A row of the release: what it says of the person, and a sensitive value. */
static void
add_row(StoreState *state, RowId row, Code value)
{
	const LoadedFrame *loaded = state->making->loaded;
	const DeclaredPublication *publication = state->making->publication;
	RowSum		sum = state->class_sum;
	int			attribute = 1;
	int			insensitive = 0;

	for (int i = 0; i < publication->ncolumns; i++)
	{
		if (publication->columns[i].role == ROLE_KEY)
			continue;
		if (!loaded->shown[i])
			;					/* withheld from all rows alike */
		else if (publication->columns[i].role == ROLE_SENSITIVE)
			sum = row_sum(sum, set_plain(state, attribute, &loaded->sensitive, value));
		else if (publication->columns[i].role == ROLE_INSENSITIVE)
		{
			const PlainColumn *plain = &loaded->insensitive[insensitive++];

			sum = row_sum(sum, set_plain(state, attribute, plain, plain->code[row]));
		}
		attribute++;
	}
	checksum_add_row(state->checksum, sum);
	writer_add(state->release, state->values, state->nulls);
}

static uint32 *
shuffled_classes(const Classes *classes)
{
	uint32	   *order = palloc_extended(sizeof(uint32) * ((Size) classes->nclasses + 1), MCXT_ALLOC_HUGE);

	for (uint32 c = 0; c < classes->nclasses; c++)
		order[c] = c;
	shuffle(order, classes->nclasses);
	return order;
}

/* Shows a class, true and invented rows mixed; what an invented one says of itself is somebody's. */
static void
show_class(StoreState *state, uint32 c)
{
	const Classes *classes = state->making->draft->classes;
	const RowId *rows = &classes->rows[classes->first[c]];
	uint64		size = class_size(classes, c);
	uint64		all = size + class_counterfeits(classes, c);
	uint32	   *order = palloc_extended(sizeof(uint32) * all, MCXT_ALLOC_HUGE);

	for (uint64 i = 0; i < all; i++)
		order[i] = i;
	shuffle(order, all);
	for (uint64 i = 0; i < all; i++)
		if (order[i] < size)
			add_row(state, rows[order[i]], state->making->loaded->sensitive.code[rows[order[i]]]);
		else
			add_row(state, rows[order[i] % size],
					classes->counterfeit[classes->first_counterfeit[c] + order[i] - size]);
	pfree(order);
}

static void
show_classes(StoreState *state, const uint32 *order)
{
	for (uint32 i = 0; i < state->making->draft->classes->nclasses; i++)
	{
		CHECK_FOR_INTERRUPTS();
		set_class(state, order[i], (int64) i + 1);
		show_class(state, order[i]);
	}
}

/* The same classes, with the same numbers, in the history. */
static void
remember_classes(const Making *making, int32 number, const uint32 *order)
{
	const Draft *draft = making->draft;
	const Classes *classes = draft->classes;
	Remembering *remembering = remember_begin(making->fold, making->loaded, number);

	for (uint32 i = 0; i < classes->nclasses; i++)
	{
		uint32		c = order[i];
		uint64		ninvented = class_counterfeits(classes, c);
		uint64		from = ninvented == 0 ? 0 : classes->first_counterfeit[c];
		RememberedClass class = {
			.number = (int64) i + 1,
			.parent = draft->parent[c],
			.rows = &classes->rows[classes->first[c]],
			.nrows = class_size(classes, c),
			.stands_for = ninvented == 0 ? NULL : &draft->stands_for[from],
			.invented = ninvented == 0 ? NULL : &classes->counterfeit[from],
			.ninvented = ninvented,
		};

		CHECK_FOR_INTERRUPTS();
		remember_class(remembering, &class);
	}
	remember_end(remembering);
}

StoredRelease
store_release(const Making *making, int32 number)
{
	const DeclaredPublication *publication = making->publication;
	StoredRelease stored = {.table = create_table(publication, number),.checksum_seed = random_seed()};
	StoreState	state = {.making = making};
	uint32	   *order = shuffled_classes(making->draft->classes);
	Stopwatch	watch;

	state.natts = publication->ncolumns;	/* all but the key, and the class */
	state.values = palloc0(sizeof(Datum) * state.natts);
	state.nulls = palloc0(sizeof(bool) * state.natts);
	state.plain_sum = palloc0(sizeof(RowSum *) * state.natts);
	state.cells = AllocSetContextCreate(CurrentMemoryContext, "cells of a class", ALLOCSET_SMALL_SIZES);
	state.checksum = checksum_create(stored.table, stored.checksum_seed);
	state.release = writer_open(stored.table, false);
	set_columns(&state);
	show_classes(&state, order);
	writer_close(state.release);
	watch = stopwatch_start();
	remember_classes(making, number, order);
	stored.history_seconds = stopwatch_seconds(&watch);
	pfree(order);
	stored.checksum = checksum_result(state.checksum);

	seal_table(stored.table);
	point_view_at(publication, stored.table);
	note_relation(publication, stored.table, "release");
	return stored;
}

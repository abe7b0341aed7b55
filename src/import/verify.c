/*
 * verify.c
 *		With a key: do cells cover the rows of those whose they are?  Without: can each row of the table be of another
 *		person of the source?
 *
 * NOTES
 *		Where cells do not cover, either the key is wrong, or the table, or the person has changed since the release
 *		was made.  Only the owner can know, so the first two are assumed unless they say that the third is expected.
 *		Of those who have changed, no fingerprint is remembered: it is not known what their quasi-identifiers were.
 *
 *		Without a key, a perfect matching of the table and the source is looked for, which are two releases of the
 *		same people, one as it was published and one that shows everything.  It only tells that the table can be what
 *		it is said to be: there are many, mostly, and no identity follows.  Where each row could be of very many
 *		people, the graph would not fit into memory; then nothing is known.
 */
#include "postgres.h"

#include "audit/join/join.h"
#include "frame/arrays.h"
#include "frame/print.h"
#include "import/import.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* ----------------------------------------------------------------
 * With a key
 * ----------------------------------------------------------------
 */

/* Findings about a column. */
typedef struct Uncovered
{
	uint64		rows;
	uint64		first;			/* one of them */
} Uncovered;

char *
imported_text(const ImportColumn *column, uint32 number)
{
	Oid			type = column->column->role == ROLE_QUASI_IDENTIFIER ?
		printed_type(column->column->kind, column->column->type) : column->column->type;

	return number == DICTIONARY_NULL ? "NULL" : psprintf("\"%s\"", value_text(type, dictionary_value(column->values, number)));
}

/* The value that the source has in a column, as a release would show it of this row alone. */
static char *
true_text(const Import *import, const DeclaredColumn *column, RowId row)
{
	Oid			type = column->type;
	bool		isnull;
	Datum		value = (Datum) 0;

	if (column->role != ROLE_QUASI_IDENTIFIER)
	{
		const PlainColumn *plain = plain_column(import, column);

		isnull = plain->code[row] == NO_CODE;
		if (!isnull)
			value = plain->values[plain->code[row]];
	}
	else
	{
		int			q = coded_column(import, column);

		type = printed_type(column->kind, column->type);
		value = print_cell(import->present->codings[q], row_span(&import->present->frame, q, row), &isnull);
	}
	return isnull ? "NULL" : psprintf("\"%s\"", value_text(type, value));
}

static void
note_uncovered(Uncovered *uncovered, uint64 row)
{
	if (uncovered->rows++ == 0)
		uncovered->first = row;
}

/* Finds rows whose cells of a quasi-identifier do not cover what the source has. */
static Uncovered
find_uncovered_cells(Import *import, const ImportColumn *column)
{
	int			q = coded_column(import, column->column);
	Uncovered	uncovered = {0};

	for (uint64 row = 0; row < import->nrows; row++)
	{
		Span		cell = column->codes[column->number[row]];
		RowId		found = import->row_of_person[import->person[row]];

		if (found == NO_ROW || span_contains(cell, row_span(&import->present->frame, q, found)))
			continue;
		import->has_changed[import->person[row]] = true;
		note_uncovered(&uncovered, row);
	}
	return uncovered;
}

/* Finds rows whose values of a plain column are not those of the source. */
static Uncovered
find_other_values(const Import *import, const ImportColumn *column)
{
	const PlainColumn *plain = plain_column(import, column->column);
	CommonCodes common = common_codes(column, plain);
	Uncovered	uncovered = {0};

	for (uint64 row = 0; row < import->nrows; row++)
	{
		RowId		found = import->row_of_person[import->person[row]];

		/* NO_CODE + 1 is 0 */
		if (found != NO_ROW && common.of_value[column->number[row]] != common.of_code[(Code) (plain->code[found] + 1)])
			note_uncovered(&uncovered, row);
	}
	return uncovered;
}

/* A row of the table in words. */
static char *
row_text(const Import *import, uint64 row)
{
	const DeclaredPublication *publication = import->publication;
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < publication->ncolumns; i++)
		if (import->declared[i] != NULL)
			appendStringInfo(&text, "%s%s %s", text.len > 0 ? ", " : "", import->declared[i]->name,
							 imported_text(import->declared[i], import->declared[i]->number[row]));
	return text.data;
}

/* Where people may have several rows, counts those that are none of the person's in the source. */
static void
verify_own_rows(Import *import)
{
	Uncovered	uncovered = {0};

	for (uint64 row = 0; row < import->nrows; row++)
		if (import->row_of_person[import->person[row]] != NO_ROW && import->row_of_value[row] == NO_CODE)
			note_uncovered(&uncovered, row);
	if (uncovered.rows > 0 && !import->accepts_changes)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("\"%s\" has " UINT64_FORMAT " row(s) that the source does not have of the same people", import->table_name, uncovered.rows),
				 errdetail("For example, of key %s: %s.", imported_text(import->key, import->key->number[uncovered.first]),
						   row_text(import, uncovered.first)),
				 errdetail_log("Its values are told to the owner only."),
				 errhint("If these people have changed since the release was made, say so: accept_changes => true.")));
	import->changed += uncovered.rows;
}

void
verify_covers(Import *import)
{
	const DeclaredPublication *publication = import->publication;

	/* With a key that is another's, nothing could be checked. */
	if (import->left == import->people->size && !import->accepts_changes)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("nobody of \"%s\" is in the source of publication \"%s\"", import->table_name, publication->name),
				 errhint("Is \"%s\" the right key? If all these people have left since the release was made, say so: accept_changes => true.",
						 import->key->name)));
	import->has_changed = new_zeros(bool, import->people->size);
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const ImportColumn *column = import->declared[i];
		Uncovered	uncovered;

		CHECK_FOR_INTERRUPTS();
		if (column == NULL || (has_several_rows(publication) && column->column->role != ROLE_QUASI_IDENTIFIER))
			continue;
		uncovered = column->column->role == ROLE_QUASI_IDENTIFIER ?
			find_uncovered_cells(import, column) : find_other_values(import, column);
		if (uncovered.rows > 0 && !import->accepts_changes)
		{
			RowId		row = import->row_of_person[import->person[uncovered.first]];

			ereport(ERROR,
					(errcode(ERRCODE_DATA_EXCEPTION),
					 errmsg("column \"%s\" of \"%s\" has " UINT64_FORMAT " row(s) that do not cover what the source has of the same people",
							column->name, import->table_name, uncovered.rows),
					 errdetail("For example: it shows %s of key %s, who has %s.",
							   imported_text(column, column->number[uncovered.first]),
							   imported_text(import->key, import->key->number[uncovered.first]),
							   true_text(import, column->column, row)),
					 errdetail_log("Its values are told to the owner only."),
					 errhint("If these people have changed since the release was made, say so: accept_changes => true.")));
		}
		import->changed += uncovered.rows;
	}
	if (has_several_rows(publication))
		verify_own_rows(import);
	if (import->left > 0)
		ereport(NOTICE,
				(errmsg(UINT64_FORMAT " of " UINT64_FORMAT " people of \"%s\" are not in the source of publication \"%s\"",
						import->left, import->people->size, import->table_name, publication->name),
				 errdetail("They are remembered as people who have left; what the release shows of them cannot be checked.")));
	if (import->changed > 0)
		ereport(NOTICE,
				(errmsg("\"%s\" shows something else than the source has in " UINT64_FORMAT " cell(s)%s",
						import->table_name, import->changed, has_several_rows(publication) ? " or row(s)" : ""),
				 errdetail("Their people are taken to have changed since the release was made.")));
}

/* ----------------------------------------------------------------
 * Without a key
 * ----------------------------------------------------------------
 */

/* 17 bytes each. */
#define MOST_EDGES 50000000

/* No code of anybody's. */
#define NOWHERE ((Span) {PG_UINT32_MAX - 1, PG_UINT32_MAX - 1})

typedef struct Fitting
{
	const Import *import;
	const Span **cells[2];		/* [columns but the sensitive one] of the table, and of the source */
	JoinRelease releases[2];
	JoinInput	input;
} Fitting;

static void
add_column(Fitting *fitting, const Span *table, const Span *source)
{
	fitting->cells[0][fitting->input.ncolumns] = table;
	fitting->cells[1][fitting->input.ncolumns++] = source;
}

static Span *
spans_of(const Code *codes, uint64 n)
{
	Span	   *spans = new_array(Span, n);

	for (uint64 row = 0; row < n; row++)
		spans[row] = span_of(codes[row]);
	return spans;
}

/* Adds a plain column to both releases. */
static void
add_plain(Fitting *fitting, const ImportColumn *column)
{
	const Import *import = fitting->import;
	uint64		npeople = import->present->frame.nrows;
	const PlainColumn *plain = plain_column(import, column->column);
	CommonCodes common = common_codes(column, plain);
	Code	   *table = new_array(Code, import->nrows);
	Code	   *source = new_array(Code, npeople);

	for (uint64 row = 0; row < import->nrows; row++)
		table[row] = common.of_value[column->number[row]];
	for (uint64 row = 0; row < npeople; row++)
		source[row] = common.of_code[(Code) (plain->code[row] + 1)];	/* NO_CODE + 1 is 0 */
	if (column->column->role == ROLE_SENSITIVE)
	{
		fitting->releases[0].sensitive = table;
		fitting->releases[1].sensitive = source;
		fitting->input.nvalues = common.ncodes;
		fitting->input.null_value = common.ncodes - 1;
		return;
	}
	add_column(fitting, spans_of(table, import->nrows), spans_of(source, npeople));
}

/* The match join of the table and the source, or NULL if it has too many edges. */
static JoinGraph *
make_graph(Fitting *fitting)
{
	const Import *import = fitting->import;
	const DeclaredPublication *publication = import->publication;

	for (int r = 0; r < 2; r++)
		fitting->cells[r] = palloc0(sizeof(Span *) * publication->ncolumns);
	fitting->input.null_value = NO_CODE;
	for (int i = 0; i < publication->ncolumns; i++)
		if (import->shown[i] && publication->columns[i].role == ROLE_QUASI_IDENTIFIER)
		{
			const ImportColumn *column = import->declared[i];
			const Frame *frame = &import->present->frame;
			Span	   *table = new_array(Span, import->nrows);

			/* Adds a quasi-identifier to both releases. */
			for (uint64 row = 0; row < import->nrows; row++)
			{
				table[row] = column->codes[column->number[row]];
				if (table[row].lo > table[row].hi)
					table[row] = NOWHERE;
			}
			add_column(fitting, table, spans_of(frame->code[coded_column(import, column->column)], frame->nrows));
		}
	fitting->input.nqis = fitting->input.ncolumns;
	for (int i = 0; i < publication->ncolumns; i++)
		if (import->shown[i] && publication->columns[i].role != ROLE_QUASI_IDENTIFIER)
			add_plain(fitting, import->declared[i]);
	fitting->releases[0].nrecords = import->nrows;
	fitting->releases[1].nrecords = import->present->frame.nrows;
	for (int r = 0; r < 2; r++)
		fitting->releases[r].cells = fitting->cells[r];
	fitting->input.nreleases = 2;
	fitting->input.release = fitting->releases;
	fitting->input.most_edges = MOST_EDGES;
	return join_graph(&fitting->input);
}

/* An error for rows that can be of no person, with an example. */
static void
refuse_unfit(const Import *import, const Shortage *shortage)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("\"%s\" cannot be a release of all people of publication \"%s\": " UINT64_FORMAT " row(s) are nobody's",
					import->table_name, import->publication->name, shortage->unmatched),
			 shortage->places == 0
			 ? errdetail("For example, nobody lies in %s.", row_text(import, shortage->record))
			 : errdetail("For example, " UINT64_FORMAT " rows can be of " UINT64_FORMAT " people only, among them %s.",
						 shortage->records, shortage->places, row_text(import, shortage->record)),
			 errdetail_log("Its values are told to the owner only."),
			 errhint("If people have come, left or changed since the release was made, say so: accept_changes => true.")));
}

/* No shortage where there is none, or nothing can be known. */
static Shortage
find_shortage(const Import *import)
{
	Fitting		fitting = {.import = import};
	JoinGraph  *graph = make_graph(&fitting);
	Shortage	shortage = {0};

	if (graph == NULL && !import->accepts_changes)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("whether each row of \"%s\" can be somebody's cannot be found out", import->table_name),
				 errdetail("There are more than %d pairs of rows and people that differ and fit together.", MOST_EDGES),
				 errhint("Give it a key, or do without knowing: accept_changes => true.")));
	if (graph == NULL)
	{
		ereport(NOTICE,
				(errmsg("whether each row of \"%s\" can be somebody's is not known", import->table_name),
				 errdetail("They could be of too many people each.")));
		return shortage;
	}
	(void) flow_of_people(graph, pair_of(graph, 0, 1));
	if (flow_complete(graph, pair_of(graph, 0, 1)) > 0)
		shortage = shortage_of(graph, pair_of(graph, 0, 1));
	return shortage;
}

void
verify_fits(const Import *import)
{
	uint64		people = import->present->frame.nrows;
	MemoryContext work;
	MemoryContext old;
	Shortage	shortage;

	if (import->nrows != people && !import->accepts_changes)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("\"%s\" has " UINT64_FORMAT " rows, and the source of publication \"%s\" has " UINT64_FORMAT " people",
						import->table_name, import->nrows, import->publication->name, people),
				 errdetail("Without a key, a release is known to be of all people of the source, or else nothing is known of it."),
				 errhint("Give it a key, or, if people have come, left or changed since, say so: accept_changes => true.")));
	work = AllocSetContextCreate(CurrentMemoryContext, "matching", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(work);
	shortage = find_shortage(import);
	if (shortage.unmatched > 0 && !import->accepts_changes)
		refuse_unfit(import, &shortage);
	if (shortage.unmatched > 0)
		ereport(NOTICE,
				(errmsg(UINT64_FORMAT " of " UINT64_FORMAT " rows of \"%s\" are nobody's who is in the source of publication \"%s\"",
						shortage.unmatched, import->nrows, import->table_name, import->publication->name),
				 errdetail("Their people are taken to have left or changed since the release was made.")));
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

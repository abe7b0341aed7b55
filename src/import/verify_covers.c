/*
 * verify_covers.c
 *		Do cells cover the rows of those whose they are?
 *
 * NOTES
 *		Where they do not, either the key is wrong, or the table, or the person has
 *		changed since the release was made.  Only the owner can know, so the first
 *		two are assumed unless he says that the third is what he expects.  Of
 *		those who have changed, no fingerprint is remembered: it is not known
 *		what their quasi-identifiers were.
 */
#include "postgres.h"

#include "fmgr.h"
#include "frame/arrays.h"
#include "frame/print.h"
#include "import/import.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"

/* Findings about a column. */
typedef struct Uncovered
{
	uint64		rows;
	uint64		first;			/* one of them */
} Uncovered;

/* Returns a value in quotes for an error message, or NULL without. */
static char *
text_of(Oid type, Datum value, bool isnull)
{
	Oid			output;
	bool		varlena;

	if (isnull)
		return "NULL";
	getTypeOutputInfo(type, &output, &varlena);
	return psprintf("\"%s\"", OidOutputFunctionCall(output, value));
}

/* The value that the source has in a column, as a release would show it of this row alone. */
static char *
true_text(const Import *import, const DeclaredColumn *column, RowId row)
{
	const PlainColumn *plain;
	const Coding *coding;
	int			q;
	bool		isnull;
	Datum		value;

	if (column->role != ROLE_QUASI_IDENTIFIER)
	{
		plain = plain_column(import, column);
		isnull = plain->code[row] == NO_CODE;
		return text_of(column->type, isnull ? (Datum) 0 : plain->values[plain->code[row]], isnull);
	}
	q = coded_column(import, column);
	coding = import->present->codings[q];
	value = print_cell(coding, span_of(import->present->frame.code[q][row]), &isnull);
	return text_of(printed_type(column->kind, column->type), value, isnull);
}

/* An error that names a row that does not cover its person. */
static void
refuse_uncovered(const Import *import, const ImportColumn *column, const Uncovered *uncovered)
{
	RowId		row = import->row_of_person[uncovered->first];

	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("column \"%s\" of \"%s\" has " UINT64_FORMAT " row(s) that do not cover what the source has of the same people",
					column->name, import->table_name, uncovered->rows),
			 errdetail("For example: it shows %s of key %s, who has %s.",
					   imported_text(column, column->number[uncovered->first]),
					   imported_text(import->key, import->key->number[uncovered->first]),
					   true_text(import, column->column, row)),
			 errdetail_log("Its values are told to the owner only."),
			 errhint("If these people have changed since the release was made, say so: accept_changes => true.")));
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
	const Code *code = import->present->frame.code[coded_column(import, column->column)];
	Uncovered	uncovered = {0};

	for (uint64 row = 0; row < import->nrows; row++)
	{
		Span		cell = column->codes[column->number[row]];
		RowId		person = import->row_of_person[row];

		if (person == NO_ROW || span_contains(cell, span_of(code[person])))
			continue;
		import->has_changed[row] = true;
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
		RowId		person = import->row_of_person[row];

		/* NO_CODE + 1 is 0 */
		if (person != NO_ROW && common.of_value[column->number[row]] != common.of_code[(Code) (plain->code[person] + 1)])
			note_uncovered(&uncovered, row);
	}
	return uncovered;
}

/* With a key that is another's, nothing could be checked. */
static void
verify_somebody(const Import *import)
{
	if (import->left < import->nrows || import->accepts_changes)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("nobody of \"%s\" is in the source of publication \"%s\"",
					import->table_name, import->publication->name),
			 errhint("Is \"%s\" the right key? If all these people have left since the release was made, say so: accept_changes => true.",
					 import->key->name)));
}

/* Says how many people have left or changed, if that is accepted. */
static void
tell_left(const Import *import)
{
	if (import->left > 0)
		ereport(NOTICE,
				(errmsg(UINT64_FORMAT " of " UINT64_FORMAT " people of \"%s\" are not in the source of publication \"%s\"",
						import->left, import->nrows, import->table_name, import->publication->name),
				 errdetail("They are remembered as people who have left; what the release shows of them cannot be checked.")));
	if (import->changed > 0)
		ereport(NOTICE,
				(errmsg("\"%s\" shows something else than the source has in " UINT64_FORMAT " cell(s)",
						import->table_name, import->changed),
				 errdetail("Their people are taken to have changed since the release was made.")));
}

void
verify_covers(Import *import)
{
	const DeclaredPublication *publication = import->publication;

	verify_somebody(import);
	import->has_changed = new_zeros(bool, import->nrows);
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const ImportColumn *column = import->declared[i];
		Uncovered	uncovered;

		CHECK_FOR_INTERRUPTS();
		if (column == NULL)
			continue;
		uncovered = column->column->role == ROLE_QUASI_IDENTIFIER ?
			find_uncovered_cells(import, column) : find_other_values(import, column);
		if (uncovered.rows > 0 && !import->accepts_changes)
			refuse_uncovered(import, column, &uncovered);
		import->changed += uncovered.rows;
	}
	tell_left(import);
}

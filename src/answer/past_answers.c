/*
 * past_answers.c
 *		Reading what the history keeps of answers, and comparing it with their checksums.
 */
#include "answer/answer.h"

#include "frame/arrays.h"
#include "frame/aspects.h"
#include "frame/several_rows.h"
#include "history/element.h"
#include "history/past_tables.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "release/release.h"

/* The checksum of one answer, while the log is read. */
typedef struct AnswerSum
{
	Checksum   *checksum;		/* NULL: not asked for, or its classes are not numbered from 1 on */
	bool	   *shows;			/* [sensitive columns] */
	uint32		nclasses;
	RowSum	   *class_sum;		/* [nclasses] of the columns that all rows of class n, at n - 1, share */
} AnswerSum;

typedef struct Summing
{
	const DeclaredPublication *publication;
	const Answers *answers;
	Element		sensitive;
	AnswerSum  *sums;			/* [publication->releases] */
	Datum	   *columns;		/* [sensitive columns] of the row at hand */
	bool	   *nulls;
} Summing;

void
set_answered_class(const Answers *answers, const AnsweredRelease *answer, uint32 place,
				   Datum *values, bool *nulls)
{
	const Answered *answered = answers->answered;

	memset(nulls, true, sizeof(bool) * answers->columns->natts);
	values[0] = Int64GetDatum(answer->number[place]);
	nulls[0] = false;
	for (int q = 0; q < answers->ncells; q++)
		values[answers->cell[q]] = cells_printed(answered->cells[q],
												 answer->cell[(Size) place * answered->nqis + q],
												 &nulls[answers->cell[q]]);
}

/* ----------------------------------------------------------------
 * Checksums
 * ----------------------------------------------------------------
 */

/* Do the classes have the numbers 1 to nclasses, each once? */
static bool
is_numbered(const AnsweredRelease *answer)
{
	bool	   *found = palloc0(sizeof(bool) * ((Size) answer->nclasses + 1));

	for (uint32 c = 0; c < answer->nclasses; c++)
	{
		if (answer->number[c] < 1 || answer->number[c] > answer->nclasses || found[answer->number[c]])
			return false;
		found[answer->number[c]] = true;
	}
	pfree(found);
	return true;
}

/* Of all columns but sensitive ones that are shown, which differ between rows of a class. */
static RowSum
sum_class(const Summing *summing, AnswerSum *sum, const Datum *values, const bool *nulls)
{
	const Answers *answers = summing->answers;
	bool	   *is_left_out = palloc0(sizeof(bool) * answers->columns->natts);
	RowSum		result = {{0, 0}};

	for (int c = 0; c < answers->nsensitive; c++)
		is_left_out[answers->sensitive[c]] = sum->shows[c];
	for (int a = 0; a < answers->columns->natts; a++)
		if (!is_left_out[a])
			result = row_sum(result, checksum_value(sum->checksum, a, values[a], nulls[a]));
	pfree(is_left_out);
	return result;
}

/* Sums up the classes of an answer; their rows follow from the log. */
static void
begin_sum(Summing *summing, const Released *released)
{
	const Answers *answers = summing->answers;
	const AnsweredRelease *answer = &answers->answered->release[released->number - 1];
	AnswerSum  *sum = &summing->sums[released->number - 1];
	Datum	   *values = palloc0(sizeof(Datum) * answers->columns->natts);
	bool	   *nulls = palloc(sizeof(bool) * answers->columns->natts);

	if (!is_numbered(answer))
		return;
	sum->checksum = checksum_create(summing->publication, answers->columns, released->number, released->checksum_seed);
	sum->shows = shown_sensitive(summing->publication, released->shown);
	sum->nclasses = answer->nclasses;
	sum->class_sum = new_array(RowSum, answer->nclasses);
	for (uint32 c = 0; c < answer->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		set_answered_class(answers, answer, c, values, nulls);
		sum->class_sum[answer->number[c] - 1] = sum_class(summing, sum, values, nulls);
	}
	pfree(values);
	pfree(nulls);
}

/* Adds a row to those of a class: what all of these share, and the person's own values. */
static void
add_one_row(const Summing *summing, AnswerSum *sum, int64 class, Datum value, bool isnull)
{
	RowSum		row = sum->class_sum[class - 1];

	split_value(summing->publication, value, isnull, summing->columns, summing->nulls);
	for (int c = 0; c < summing->answers->nsensitive; c++)
		if (sum->shows[c])
			row = row_sum(row, checksum_value(sum->checksum, summing->answers->sensitive[c], summing->columns[c], summing->nulls[c]));
	checksum_add_row(sum->checksum, row);
}

/* Adds the rows of a person. */
static void
add_row(const Summing *summing, AnswerSum *sum, int64 class, Datum value, bool isnull)
{
	int			nrows;
	Datum	   *rows;

	if (!has_several_rows(summing->publication))
	{
		add_one_row(summing, sum, class, value, isnull);
		return;
	}
	rows = rows_of_value(value, &nrows);
	for (int i = 0; i < nrows; i++)
		add_one_row(summing, sum, class, rows[i], false);
}

/* Adds the rows of one class: one for each of its members, whose sensitive values a row of the log has. */
static void
add_rows(void *what, TupleTableSlot *slot)
{
	static const int always[] = {LOG_RELEASE, LOG_CLASS, LOG_SENSITIVE};
	Summing    *summing = what;
	AnswerSum  *sum;
	int32		number;
	int64		class;
	ElementWalk walk;

	if (!row_has_values(slot, LOG_COLUMNS, always, lengthof(always)))
		return;
	number = DatumGetInt32(slot->tts_values[LOG_RELEASE]);
	class = DatumGetInt64(slot->tts_values[LOG_CLASS]);
	if (number < 1 || number > summing->publication->releases)
		return;
	sum = &summing->sums[number - 1];
	if (sum->checksum == NULL || class < 1 || class > sum->nclasses)
		return;
	element_walk(&walk, &summing->sensitive, DatumGetArrayTypeP(slot->tts_values[LOG_SENSITIVE]));
	while (element_next(&walk))
		add_row(summing, sum, class, walk.value, walk.isnull);
}

/* Sets is_intact, for which it reads the log once. */
static void
sum_answers(Answers *answers, const DeclaredPublication *publication, const Released *released)
{
	Oid			log = past_table(publication, ASKED_TABLE);
	Summing		summing = {.publication = publication, .answers = answers};

	summing.sensitive = element_of(publication_column(publication, ROLE_SENSITIVE));
	summing.columns = palloc(sizeof(Datum) * answers->nsensitive);
	summing.nulls = palloc(sizeof(bool) * answers->nsensitive);
	summing.sums = palloc0(sizeof(AnswerSum) * publication->releases);
	for (int32 i = 0; i < publication->releases; i++)
		if (released[i].is_answer)
			begin_sum(&summing, &released[i]);
	if (OidIsValid(log))
		read_each(log, add_rows, &summing);
	for (int32 i = 0; i < publication->releases; i++)
	{
		const AnswerSum *sum = &summing.sums[i];

		answers->is_intact[i] = sum->checksum != NULL &&
			memcmp(checksum_result(sum->checksum), &released[i].checksum, sizeof(pg_uuid_t)) == 0;
	}
}

/* ----------------------------------------------------------------
 * All answers
 * ----------------------------------------------------------------
 */

Answers *
answers_read(const DeclaredPublication *publication, const Released *released)
{
	Answers    *answers = palloc0(sizeof(Answers));
	Cells	  **cells = palloc(sizeof(Cells *) * publication->ncolumns);
	bool		any_answer = false;
	int			ncells = 0;

	answers->columns = released_columns(publication);
	answers->sensitive = released_sensitive(publication, &answers->nsensitive);
	answers->cell = released_cells(publication, &answers->ncells);
	answers->is_intact = palloc0(sizeof(bool) * publication->releases);
	for (int32 i = 0; i < publication->releases; i++)
		any_answer |= released[i].is_answer;
	if (!any_answer)
		return answers;
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role == ROLE_QUASI_IDENTIFIER)
			cells[ncells++] = cells_create(&publication->columns[i]);
	answers->answered = answered_read(publication, cells, publication->releases);
	if (answers->answered != NULL)
		sum_answers(answers, publication, released);
	return answers;
}

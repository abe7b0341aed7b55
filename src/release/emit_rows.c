/*
 * emit_rows.c
 *		Shuffling a draft, printing its rows, summing them up, and remembering
 *		them.
 *
 * NOTES
 *		A class's cells are printed once for all of its rows.
 *
 *		Rows are stored when the last class was cut, and not before: classes leave in
 *		random order, or their places would tell how they were cut; the ends of ranges are
 *		rounded by those of all classes; and the whole was judged.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "frame/print.h"
#include "history/past_tables.h"
#include "history/path_blocks.h"
#include "history/remember.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "release/release.h"
#include "release/released_rows.h"
#include "release/shuffle.h"
#include "release/stopwatch.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* A release on its way to a sink. */
typedef struct Sending
{
	const ReleaseBuild *build;
	RowSink    *sink;
	Checksum   *checksum;
	Shuffler   *shuffler;

	bool		has_class;		/* the first column tells it */

	/* A row of the release: what changes from class to class, and row to row */
	int			natts;
	Datum	   *values;
	bool	   *nulls;
	MemoryContext cells;		/* printed cells of the class at hand */
	RowSum		class_sum;		/* of what all rows of the class have in common */
	RowSum	  **plain_sum;		/* [natts] of plain columns: [codes + 1], NULL's first; zeros where not yet known */
} Sending;

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

/*
 * Sets a column of the row at hand to the value of a code; returns its share of the checksum, computed once for each
 * code.
 */
static RowSum
set_plain(Sending *sending, int attribute, const Datum *values, Code code, bool is_kept)
{
	RowSum	   *sum = &sending->plain_sum[attribute][code + 1]; /* NO_CODE + 1 is 0 */

	sending->nulls[attribute] = code == NO_CODE;
	sending->values[attribute] = code == NO_CODE ? (Datum) 0 : values[code];
	if (sum->lane[0] == 0 && sum->lane[1] == 0)
		*sum = checksum_value(sending->checksum, attribute, sending->values[attribute],
							  sending->nulls[attribute] || !is_kept);
	return *sum;
}

static void
know_plain(Sending *sending, int attribute, Code ncodes)
{
	sending->plain_sum[attribute] = new_zeros(RowSum, ncodes);
}

/* The columns that the release leaves out are the same for all of its rows; others differ from row to row. */
static void
set_columns(Sending *sending)
{
	const DeclaredPublication *publication = sending->build->publication;
	const LoadedFrame *loaded = sending->build->loaded;
	int			attribute = sending->has_class;
	const SensitiveColumn *sensitive = loaded->columns->column;
	int			insensitive = 0;

	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];

		if (column->role == ROLE_KEY)
			continue;
		sending->nulls[attribute] = !loaded->shown[i] && column->role != ROLE_QUASI_IDENTIFIER;
		if (!loaded->shown[i] && column->role == ROLE_QUASI_IDENTIFIER)
			sending->values[attribute] = print_withheld(column);
		if (loaded->shown[i] && is_sensitive(column))
			know_plain(sending, attribute, sensitive->ncodes);
		sensitive += is_sensitive(column);
		if (loaded->shown[i] && column->role == ROLE_INSENSITIVE)
			know_plain(sending, attribute, loaded->insensitive[insensitive++].ncodes);
		attribute++;
	}
}

/* The columns that are the same for all rows of a class. */
static void
set_class(Sending *sending, uint32 c, int64 number)
{
	const LoadedFrame *loaded = sending->build->loaded;
	const DeclaredPublication *publication = sending->build->publication;
	const Span *region = class_region(sending->build->draft->classes, c);
	MemoryContext old;
	int			attribute = 0;
	int			q = 0;

	MemoryContextReset(sending->cells);
	old = MemoryContextSwitchTo(sending->cells);
	if (sending->has_class)
	{
		sending->values[attribute] = Int64GetDatum(number);
		sending->nulls[attribute++] = false;
	}
	for (int i = 0; i < publication->ncolumns; i++)
	{
		if (publication->columns[i].role == ROLE_KEY)
			continue;
		if (publication->columns[i].role == ROLE_QUASI_IDENTIFIER && loaded->shown[i])
		{
			sending->values[attribute] = print_cell(loaded->codings[q], region[q],
													&sending->nulls[attribute]);
			q++;
		}
		attribute++;
	}
	MemoryContextSwitchTo(old);
	sending->class_sum = (RowSum) {{0, 0}};
	for (int a = 0; a < sending->natts; a++)
		if (sending->plain_sum[a] == NULL)
			sending->class_sum = row_sum(sending->class_sum,
										 checksum_value(sending->checksum, a, sending->values[a], sending->nulls[a]));
}

/* A row of the release: what it says of the person, and a sensitive value. */
static void
add_row(Sending *sending, RowId row, Code value)
{
	const LoadedFrame *loaded = sending->build->loaded;
	const DeclaredPublication *publication = sending->build->publication;
	RowSum		sum = sending->class_sum;
	int			attribute = sending->has_class;
	const SensitiveColumn *sensitive = loaded->columns->column;
	int			insensitive = 0;

	for (int i = 0; i < publication->ncolumns; i++)
	{
		const SensitiveColumn *own = sensitive;

		if (publication->columns[i].role == ROLE_KEY)
			continue;
		sensitive += is_sensitive(&publication->columns[i]);
		if (!loaded->shown[i])
			;					/* withheld from all rows alike */
		else if (is_sensitive(&publication->columns[i]))
			sum = row_sum(sum, set_plain(sending, attribute, own->values, code_in_column(own, value), true));
		else if (publication->columns[i].role == ROLE_INSENSITIVE)
		{
			const PlainColumn *plain = &loaded->insensitive[insensitive++];

			sum = row_sum(sum, set_plain(sending, attribute, plain->values, plain->code[row], sending->sink->keeps_insensitive));
		}
		attribute++;
	}
	checksum_add_row(sending->checksum, sum);
	sending->sink->add_row(sending->sink, sending->values, sending->nulls);
}

/* How many rows leave: true and invented ones. */
static uint64
rows_of(const Classes *classes)
{
	return classes->first[classes->nclasses] +
		(classes->first_counterfeit == NULL ? 0 : classes->first_counterfeit[classes->nclasses]);
}

/* Returns the numbers below n in random order. */
static uint32 *
shuffled(Shuffler *shuffler, uint64 n)
{
	uint32	   *order = new_array(uint32, n);

	for (uint64 i = 0; i < n; i++)
		order[i] = i;
	shuffle(shuffler, order, n);
	return order;
}

/*
 * The sensitive codes of rows, read one after the other: memory that is read at random is waited for once, not for each
 * row.
 */
static Code *
codes_of(const Sending *sending, const RowId *rows, uint64 n)
{
	const Code *sensitive = sending->build->loaded->sensitive.code;
	Code	   *codes = new_array(Code, n);

	for (uint64 i = 0; i < n; i++)
		codes[i] = sensitive[rows[i]];
	return codes;
}

/*
 * Sends a class, true and invented rows mixed. An invented row takes its insensitive
 * values from a true one, by lot: true rows stand in an order, by which it could be
 * told which row was copied.
 */
static void
send_class(Sending *sending, uint32 c)
{
	const Classes *classes = sending->build->draft->classes;
	const RowId *rows = &classes->rows[classes->first[c]];
	uint64		size = class_size(classes, c);
	uint64		all = size + class_counterfeits(classes, c);
	Code	   *codes = codes_of(sending, rows, size);
	uint32	   *order = shuffled(sending->shuffler, all);
	uint32	   *copied = all > size ? shuffled(sending->shuffler, size) : NULL;

	for (uint64 i = 0; i < all; i++)
		if (order[i] < size)
			add_row(sending, rows[order[i]], codes[order[i]]);
		else
			add_row(sending, rows[copied[order[i] % size]],
					classes->counterfeit[classes->first_counterfeit[c] + order[i] - size]);
	pfree(order);
	pfree(codes);
	if (copied != NULL)
		pfree(copied);
}

/* Sends all classes in the order given. */
static void
send_classes(Sending *sending, const uint32 *order)
{
	const Classes *classes = sending->build->draft->classes;

	for (uint32 i = 0; i < classes->nclasses; i++)
	{
		CHECK_FOR_INTERRUPTS();
		set_class(sending, order[i], (int64) i + 1);
		if (sending->sink->add_class != NULL)
			sending->sink->add_class(sending->sink, sending->values, sending->nulls,
									 class_size(classes, order[i]) + class_counterfeits(classes, order[i]));
		send_class(sending, order[i]);
		progress_step(class_size(classes, order[i]) + class_counterfeits(classes, order[i]));
	}
}

/* ----------------------------------------------------------------
 * The whole
 * ----------------------------------------------------------------
 */

/* The rows of a class, and who was counted in behind them. */
static const RowId *
people_of(const Draft *draft, uint32 c, uint64 *ncounted, RowId **room)
{
	const Classes *classes = draft->classes;
	uint64		size = class_size(classes, c);

	*ncounted = draft->first_counted == NULL ? 0 : draft->first_counted[c + 1] - draft->first_counted[c];
	if (*ncounted == 0)
		return &classes->rows[classes->first[c]];
	*room = repalloc_huge(*room, sizeof(RowId) * (size + *ncounted));
	memcpy(*room, &classes->rows[classes->first[c]], sizeof(RowId) * size);
	memcpy(*room + size, &draft->counted[draft->first_counted[c]], sizeof(RowId) * *ncounted);
	return *room;
}

/* The classes, with the numbers that they left with, in the history. */
static uint64
remember_classes(const ReleaseBuild *build, int32 number, const uint32 *order, const int64 *numbers, PastTable log)
{
	const Draft *draft = build->draft;
	const Classes *classes = draft->classes;
	Remembering *remembering = remember_begin(build->fold, build->loaded, number, log);
	bool		is_mixed = draft->parent == NULL && keeps_past(build->publication, PAST_NEIGHBORHOODS);
	RowId	   *room = palloc(sizeof(RowId));

	progress_phase("write history", rows_of(classes));
	for (uint32 i = 0; i < classes->nclasses; i++)
	{
		uint32		c = order[i];
		uint64		ninvented = class_counterfeits(classes, c);
		uint64		from = ninvented == 0 ? 0 : classes->first_counterfeit[c];
		RememberedClass class = {
			.number = numbers[c],
			.parent = draft->parent == NULL ? NO_NEIGHBORHOOD : draft->parent[c],
			.nrows = class_size(classes, c),
			.stands_for = ninvented == 0 || draft->stands_for == NULL ? NULL : &draft->stands_for[from],
			.invented = ninvented == 0 ? NULL : &classes->counterfeit[from],
			.ninvented = ninvented,
		};

		CHECK_FOR_INTERRUPTS();
		class.rows = people_of(draft, c, &class.ncounted, &room);
		if (is_mixed)
			remember_mixed_class(remembering, class.number, &classes->rows[classes->first[c]], class.nrows);
		else
			remember_class(remembering, &class);
		progress_step(class.nrows + class.ninvented);
	}
	return remember_end(remembering);
}

/* Sends all rows to the sink; returns their checksum. */
static pg_uuid_t *
send_all(const ReleaseBuild *build, const uint32 *order, Shuffler *shuffler, uint64 seed, RowSink *sink)
{
	TupleDesc	columns = released_columns(build->publication);
	Sending		sending = {
		.build = build, .sink = sink,
		.checksum = checksum_create(columns, seed), .shuffler = shuffler,
		.has_class = has_class_column(build->publication),
	};

	if (build->draft->classes->nclasses == 0)
		return checksum_result(sending.checksum);
	sending.natts = columns->natts;
	sending.values = palloc0(sizeof(Datum) * sending.natts);
	sending.nulls = palloc0(sizeof(bool) * sending.natts);
	sending.plain_sum = palloc0(sizeof(RowSum *) * sending.natts);
	sending.cells = AllocSetContextCreate(CurrentMemoryContext, "cells of a class", ALLOCSET_SMALL_SIZES);
	set_columns(&sending);
	progress_phase("store rows", rows_of(build->draft->classes));
	send_classes(&sending, order);
	return checksum_result(sending.checksum);
}

/* Remembers a release without rows: the tables of the history are made, though they tell of no person. */
static void
remember_nobody(const ReleaseBuild *build, int32 number)
{
	log_ensure(build->publication);
	past_skip(build->publication, number);
	if (build->directory != NULL)
		directory_advance(build->directory, number, 0);
}

SentRelease
emit_rows(const ReleaseBuild *build, int32 number, RowSink *sink)
{
	SentRelease sent = {.checksum_seed = random_seed()};
	Shuffler   *shuffler = shuffler_create();
	uint32	   *order = shuffled(shuffler, build->draft->classes->nclasses);
	Stopwatch	watch;

	sent.checksum = send_all(build, order, shuffler, sent.checksum_seed, sink);
	watch = stopwatch_start();
	if (build->reference != NULL)
		reference_write(build->publication, build->reference);
	if (build->draft->classes->nclasses > 0)
		sent.newcomers = remember_classes(build, number, order, class_numbers(build, order), sink->log);
	else
		remember_nobody(build, number);
	sent.history_seconds = stopwatch_seconds(&watch);
	pfree(order);
	return sent;
}

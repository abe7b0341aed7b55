/*
 * release_table.c
 *		A judged draft as rows that leave, and as a table of TARGET.
 */
#include "postgres.h"

#include "release/release.h"

#include "catalog/pg_publication.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "compat.h"
#include "declare/publication.h"
#include "declare/target_objects.h"
#include "declare/warn_owner.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "frame/print.h"
#include "history/past_tables.h"
#include "history/remember.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "shared/progress.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

char *
released_columns_sql(const DeclaredPublication *publication, bool with_types)
{
	StringInfoData sql;

	initStringInfo(&sql);
	if (has_class_column(publication))
		appendStringInfoString(&sql, with_types ? "class pg_catalog.int8" : "class");
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];

		if (column->role == ROLE_KEY)
			continue;
		appendStringInfo(&sql, "%s%s", sql.len > 0 ? ", " : "", quote_identifier(column->name));
		if (with_types)
			appendStringInfo(&sql, " %s", released_type_sql(column));
	}
	return sql.data;
}

Oid
create_release_table(const DeclaredPublication *publication, int32 number)
{
	verify_name_is_not_taken(publication, publication->target, psprintf("%s_%d", publication->name, number));
	return make_relation(publication, publication->target, psprintf("_%d", number), "TABLE",
						 psprintf("(%s) USING pprepub", released_columns_sql(publication, true)));
}

/*
 * A WARNING when logical replication is expected to carry a release.  Rows of a table
 * of our access method are not decoded.  A release is written by one transaction and
 * stays as it is, so the first copy of its table, once that is committed, is all of it.
 */
static void
warn_of_replication(const DeclaredPublication *publication, Oid table)
{
	List	   *all = list_concat(list_concat(GetRelationIncludedPublications(table), GetSchemaPublications(get_rel_namespace(table))),
								  GetAllTablesPublications());
	ListCell   *cell;

	foreach(cell, all)
	{
		const Publication *sending = GetPublication(lfirst_oid(cell));

		if (!sending->pubactions.pubinsert)
			continue;
		warn_owner(publication, &(OwnerWarning) {
			.message = psprintf("logical replication does not send the rows of table \"%s\"", get_rel_name(table)),
			.detail = psprintf("It is in \"%s\" of PostgreSQL's publications.", sending->name),
			.hint = "A subscriber copies all of it when it is told of the table after the release is committed: ALTER SUBSCRIPTION … REFRESH PUBLICATION.",
		});
		return;
	}
}

void
keep_release_table(const DeclaredPublication *publication, Oid table)
{
	seal_table(table);
	note_relation(publication, table, "release");
	comment_on_relation(publication, table, "release: its rows never change");
	comment_on_columns(publication, table, SHOWN_AS_CELLS);
	warn_of_replication(publication, table);
}

typedef struct TableSink
{
	RowSink		base;
	RowWriter  *table;
} TableSink;

static void
store_row(RowSink *sink, const Datum *values, const bool *nulls)
{
	writer_add(((TableSink *) sink)->table, values, nulls);
}

SentRelease
store_release(const ReleaseBuild *build, int32 number)
{
	const DeclaredPublication *publication = build->publication;
	Oid			table = create_release_table(publication, number);
	TableSink	sink = {{.add_row = store_row, .log = MEMBERS_TABLE, .keeps_insensitive = true}, .table = writer_open(table, false)};
	SentRelease stored = emit_rows(build, number, &sink.base);

	progress_phase("finish", NO_TOTAL);
	writer_close(sink.table);
	stored.table = table;
	keep_release_table(publication, table);
	show_release(build, table);
	return stored;
}

/* ----------------------------------------------------------------
 * Shuffling a draft, printing its rows, summing them up, and remembering
 * them.
 *
 * A class's cells are printed once for all of its rows.
 *
 * Rows are stored when the last class was cut, and not before: classes leave in
 * random order, or their places would tell how they were cut; the ends of ranges are
 * rounded by those of all classes; and the whole was judged.
 * ----------------------------------------------------------------
 */

/* A release on its way to a sink. */
typedef struct Sending
{
	const ReleaseBuild *build;
	RowSink    *sink;
	Checksum   *checksum;

	bool		has_class;		/* the first column tells it */
	bool	   *is_dealt;		/* [own rows] */

	/* A row of the release: what changes from class to class, and row to row */
	int			natts;
	Datum	   *values;
	bool	   *nulls;
	MemoryContext cells;		/* printed cells of the class at hand */
	RowSum		class_sum;		/* of what all rows of the class have in common */
	RowSum	  **plain_sum;		/* [natts] of plain columns: [codes + 1], NULL's first; zeros where not yet known */
} Sending;

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
			sending->plain_sum[attribute] = new_zeros(RowSum, sensitive->ncodes);
		sensitive += is_sensitive(column);
		if (loaded->shown[i] && column->role == ROLE_INSENSITIVE)
			sending->plain_sum[attribute] = new_zeros(RowSum, loaded->insensitive[insensitive++].ncodes);
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

/* A row of the release: what it says of the person, or of one of their own rows, and a sensitive value, or one of its rows. */
static void
add_row(Sending *sending, uint64 row, uint64 value)
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

			sum = row_sum(sum, set_plain(sending, attribute, plain->values, (plain->own == NULL ? plain->code : plain->own)[row],
										 sending->sink->keeps_insensitive));
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
shuffled(uint64 n)
{
	uint32	   *order = new_array(uint32, n);

	for (uint64 i = 0; i < n; i++)
		order[i] = i;
	shuffle(order, n);
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
	uint32	   *order = shuffled(all);
	uint32	   *copied = all > size ? shuffled(size) : NULL;

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

#define NO_OWN_ROW	PG_UINT64_MAX

/* Does an own row say what a row of a sensitive value says? */
static bool
says_the_same(const SensitiveColumns *columns, uint64 own, uint64 row)
{
	for (int c = 0; c < columns->n; c++)
		if (code_in_column(&columns->column[c], own) != code_in_column(&columns->column[c], row))
			return false;
	return true;
}

/*
 * Gives the rows of a value that are shown of a person the person's own rows: one that says the same, or else any other, so
 * that nobody can tell which rows are of old; NO_OWN_ROW where the person has fewer.
 */
static void
deal_own_rows(Sending *sending, RowId person, Code value, uint64 *own)
{
	const LoadedFrame *loaded = sending->build->loaded;
	const uint64 *first = loaded->columns->first;
	uint64		n = first[value + 1] - first[value];

	for (int any = 0; any < 2; any++)
		for (uint64 i = 0; i < n; i++)
			for (uint64 o = loaded->first_own[person]; o < loaded->first_own[person + 1] && own[i] == NO_OWN_ROW; o++)
				if (!sending->is_dealt[o] && (any || says_the_same(loaded->columns, first[loaded->sensitive.own[o]], first[value] + i)))
				{
					sending->is_dealt[o] = true;
					own[i] = o;
				}
}

/*
 * Sends a class of people with several rows each: all rows mixed, so that nobody can tell which are of one person.  Where
 * people have no own rows left, and for invented ones, somebody's is copied by lot, as send_class() does.
 */
static void
send_several_rows(Sending *sending, uint32 c)
{
	const Classes *classes = sending->build->draft->classes;
	const uint64 *first = sending->build->loaded->columns->first;
	uint64		size = class_size(classes, c);
	uint64		all = size + class_counterfeits(classes, c);
	const uint64 *first_own = sending->build->loaded->first_own;
	uint64	   *rows = NULL;
	uint64	   *own = NULL;
	uint64		nrows = 0;
	uint64		room = 0;
	uint64		own_room = 0;
	uint32	   *order;
	uint32	   *copied;

	for (uint64 i = 0; i < all; i++)
	{
		Code		value = i < size ? sending->build->loaded->sensitive.code[classes->rows[classes->first[c] + i]] :
			classes->counterfeit[classes->first_counterfeit[c] + i - size];
		uint64		own_rows = rows_end(first, value) - rows_begin(first, value);

		array_reserve(rows, room, nrows + own_rows);
		array_reserve(own, own_room, nrows + own_rows);
		memset(own + nrows, 0xff, sizeof(uint64) * own_rows);	/* NO_OWN_ROW */
		if (first_own != NULL && i < size && own_rows > 0)
			deal_own_rows(sending, classes->rows[classes->first[c] + i], value, own + nrows);
		for (uint64 row = rows_begin(first, value); row < rows_end(first, value); row++)
			rows[nrows++] = row;
	}
	order = shuffled(nrows);
	copied = shuffled(size);
	for (uint64 i = 0; i < nrows; i++)
	{
		uint64		own_row = own[order[i]];

		if (first_own != NULL && own_row == NO_OWN_ROW)
		{
			const uint64 *own_rows = &first_own[classes->rows[classes->first[c] + copied[i % size]]];

			own_row = own_rows[0] + i % (own_rows[1] - own_rows[0]);
		}
		add_row(sending, own_row, rows[order[i]]);
	}
	pfree(order);
	pfree(copied);
	pfree(own);
	pfree(rows);
}

/* Sends all rows to the sink; returns their checksum. */
static pg_uuid_t *
send_all(const ReleaseBuild *build, const uint32 *order, uint64 seed, RowSink *sink)
{
	TupleDesc	columns = released_columns(build->publication);
	Sending		sending = {
		.build = build, .sink = sink,
		.checksum = checksum_create(build->publication, columns, PG_INT32_MAX, seed),
		.has_class = has_class_column(build->publication),
	};
	const Classes *classes;

	if (build->draft->classes->nclasses == 0)
		return checksum_result(sending.checksum);
	sending.natts = columns->natts;
	sending.values = palloc0(sizeof(Datum) * sending.natts);
	sending.nulls = palloc0(sizeof(bool) * sending.natts);
	sending.plain_sum = palloc0(sizeof(RowSum *) * sending.natts);
	sending.cells = AllocSetContextCreate(CurrentMemoryContext, "cells of a class", ALLOCSET_SMALL_SIZES);
	if (build->loaded->first_own != NULL)
		sending.is_dealt = new_zeros(bool, build->loaded->first_own[build->loaded->frame.nrows]);
	set_columns(&sending);
	progress_phase("store rows", rows_of(build->draft->classes));
	classes = sending.build->draft->classes;
	for (uint32 i = 0; i < classes->nclasses; i++)
	{
		CHECK_FOR_INTERRUPTS();
		set_class(&sending, order[i], (int64) i + 1);
		if (sending.sink->add_class != NULL)
			sending.sink->add_class(sending.sink, sending.values, sending.nulls,
									class_size(classes, order[i]) + class_counterfeits(classes, order[i]));
		if (build->loaded->columns->first != NULL)
			send_several_rows(&sending, order[i]);
		else
			send_class(&sending, order[i]);
		progress_step(class_size(classes, order[i]) + class_counterfeits(classes, order[i]));
	}
	return checksum_result(sending.checksum);
}

SentRelease
emit_rows(const ReleaseBuild *build, int32 number, RowSink *sink)
{
	SentRelease sent = {.checksum_seed = random_seed()};
	const Draft *draft = build->draft;
	uint32	   *order = shuffled(draft->classes->nclasses);
	Stopwatch	watch;

	sent.checksum = send_all(build, order, sent.checksum_seed, sink);
	watch = stopwatch_start();
	if (build->reference != NULL)
		reference_write(build->publication, build->reference);
	if (draft->classes->nclasses > 0)
		sent.newcomers = remember(build->fold, build->loaded, &(Remembered) {
			.number = number, .log = sink->log, .showing = places_shown(draft), .first_counted = draft->first_counted,
			.counted = draft->counted, .class = class_numbers(build, order), .order = order
		});
	else
		past_skip(build->publication);
	sent.history_seconds = stopwatch_seconds(&watch);
	pfree(order);
	return sent;
}

/* ----------------------------------------------------------------
 * Summing up the hashes of rows.
 *
 * Two sums of 64 bits, of two independent hashes of each row.  A row's hash
 * mixes the sum of those of its values, each hashed with its column: of the
 * bytes where a type's bytes say it all and survive a dump, of the text
 * otherwise.
 * ----------------------------------------------------------------
 */

#define NULL_HASH	UINT64CONST(0x6a09e667f3bcc908)

typedef enum ValueForm
{
	FORM_WORD,					/* passed by value */
	FORM_BYTES,					/* the bytes behind a varlena header */
	FORM_TEXT					/* what the output function prints */
} ValueForm;

struct Checksum
{
	uint64		seed;
	int			ncolumns;		/* that count */
	uint64		sum[2];
	ValueForm  *form;
	FmgrInfo   *output;
	MemoryContext work;
};

/* Types whose bytes say all and survive a dump; others are hashed as text. */
static ValueForm
form_of(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case BOOLOID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return FORM_WORD;
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case BYTEAOID:
		case INT4RANGEOID:
		case INT8RANGEOID:
		case DATERANGEOID:
		case TSRANGEOID:
		case TSTZRANGEOID:
			return FORM_BYTES;
		default:
			return FORM_TEXT;
	}
}

Checksum *
checksum_create(const DeclaredPublication *publication, TupleDesc columns, int32 number, uint64 seed)
{
	Checksum   *checksum = palloc0(sizeof(Checksum));

	checksum->seed = seed;
	checksum->ncolumns = columns->natts;
	for (int i = 0; i < publication->ncolumns; i++)
		checksum->ncolumns -= publication->columns[i].came > number;	/* these come last */
	checksum->form = palloc(sizeof(ValueForm) * columns->natts);
	checksum->output = palloc0(sizeof(FmgrInfo) * columns->natts);
	checksum->work = AllocSetContextCreate(CurrentMemoryContext, "checksum of a row",
										   ALLOCSET_SMALL_SIZES);
	for (int i = 0; i < columns->natts; i++)
	{
		Oid			type = TupleDescAttr(columns, i)->atttypid;
		Oid			output;
		bool		varlena;

		checksum->form[i] = form_of(type);
		getTypeOutputInfo(type, &output, &varlena);
		fmgr_info(output, &checksum->output[i]);
	}
	return checksum;
}

/* Hashes a value that is not NULL. */
static uint64
hash_value(Checksum *checksum, int column, Datum value, uint64 seed)
{
	struct varlena *bytes;
	char	   *text;

	switch (checksum->form[column])
	{
		case FORM_WORD:
			return hash_bytes_extended((unsigned char *) &value, sizeof(value), seed);
		case FORM_BYTES:
			bytes = PG_DETOAST_DATUM_PACKED(value);
			return hash_bytes_extended((unsigned char *) VARDATA_ANY(bytes),
									   VARSIZE_ANY_EXHDR(bytes), seed);
		case FORM_TEXT:
			text = OutputFunctionCall(&checksum->output[column], value);
			return hash_bytes_extended((unsigned char *) text, strlen(text), seed);
	}
	return 0;
}

RowSum
checksum_value(Checksum *checksum, int column, Datum value, bool isnull)
{
	MemoryContext old = MemoryContextSwitchTo(checksum->work);
	RowSum		sum = {{0, 0}};

	for (int lane = 0; lane < 2 && column < checksum->ncolumns; lane++)
	{
		uint64		seed = hash_combine64(checksum->seed + lane, column);

		sum.lane[lane] = isnull ? hash_combine64(seed, NULL_HASH) : hash_value(checksum, column, value, seed);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(checksum->work);
	return sum;
}

/* Each bit of the result depends on each of x (the finalizer of splitmix64). */
static inline uint64
mix(uint64 x)
{
	x = (x ^ (x >> 30)) * UINT64CONST(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64CONST(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

void
checksum_add_row(Checksum *checksum, RowSum row)
{
	for (int lane = 0; lane < 2; lane++)
		checksum->sum[lane] += mix(row.lane[lane]);
}

pg_uuid_t *
checksum_result(const Checksum *checksum)
{
	pg_uuid_t  *result = palloc(sizeof(pg_uuid_t));

	StaticAssertStmt(sizeof(checksum->sum) == UUID_LEN, "a checksum fills a uuid");
	memcpy(result->data, checksum->sum, UUID_LEN);
	return result;
}

/* ----------------------------------------------------------------
 * Fisher and Yates' shuffle over the server's strong random source.
 * ----------------------------------------------------------------
 */

static void
get_random(void *buffer, size_t size)
{
	if (!pg_strong_random(buffer, size))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not get random numbers")));
}

/* Returns a random number; draws many at a time, since each call of the source takes a microsecond. */
static uint32
draw_number(void)
{
	static uint32 numbers[1024];
	static int	left = 0;

	if (left == 0)
	{
		get_random(numbers, sizeof(numbers));
		left = lengthof(numbers);
	}
	return numbers[--left];
}

void
shuffle(uint32 *elements, uint32 n)
{
	for (uint32 i = n; i > 1; i--)
	{
		uint32		j;
		uint32		swapped = elements[i - 1];
		uint64		product;

		/*
		 * A number below i.  Each is the upper half of a product for as many lower halves as any other, but for those
		 * below 2^32 mod i: these are drawn again.
		 */
		product = (uint64) draw_number() * i;
		if ((uint32) product < i)
		{
			uint32		excess = -i % i;

			while ((uint32) product < excess)
				product = (uint64) draw_number() * i;
		}
		j = product >> 32;
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		elements[i - 1] = elements[j];
		elements[j] = swapped;
	}
}

uint64
random_seed(void)
{
	uint64		seed;

	get_random(&seed, sizeof(seed));
	return seed;
}

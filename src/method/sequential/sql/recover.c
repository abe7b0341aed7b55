/*
 * recover.c
 *		Finding out what people were who have left, from what the log keeps of their quasi-identifiers.
 *
 * NOTES
 *		Of each release the log keeps a fingerprint of everybody's values in the columns that it shows.  Cells leave
 *		few values that are possible: those that anybody has, or that a cell begins with.  If one way to choose among
 *		them has the fingerprint, that is what he was.  If there is none, if they differ, or if there are too many to
 *		be tried, he may be anything that his cells cover.  Of a person whose true values are none of these, another
 *		way has the fingerprint by chance once in 2^32 / MOST_WAYS times at most: then another person is judged in his
 *		place.
 */
#include "method/sequential/sql/sequential_sql.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "frame/line.h"
#include "frame/print.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* Ways that are tried of a person in a release, at most. */
#define MOST_WAYS	65536

/* A value that a person may have */
typedef struct Guess
{
	Code		code;			/* on the line of the column */
	uint32		number;			/* in the dictionary */
	uint32		print;
} Guess;

typedef struct Guesses
{
	const RangeStep *step;		/* of the column, or NULL */
	Oid			type;			/* of values */
	Dictionary *values;			/* or bins, if the column has a step */
	uint32		n;
	uint32		room;
	Guess	   *guess;			/* [n] ascending */
} Guesses;

struct Recovery
{
	const Reading *reading;
	int32		first;
	int32		nreleases;
	Guesses    *guesses;		/* [nqis] */
	uint32	  **print;			/* [releases][individuals] 0 for none */
};

/* The ways in which a person may have a fingerprint of a release */
typedef struct Ways
{
	int			n;				/* columns that it shows */
	int		   *column;			/* [n] */
	const Guess **guess;		/* [n] from the first to */
	uint32	   *nguesses;		/* [n] */
	uint32	   *chosen;			/* [n] */
	Code	   *code;			/* [n] of the way that was found */
	bool		found;
	bool		is_ambiguous;
} Ways;

/* Appends a possible value and its code. */
static void
add_guess(Guesses *guesses, Datum value, bool isnull, Code code)
{
	array_reserve(guesses->guess, guesses->room, guesses->n + 1);
	guesses->guess[guesses->n++] = (Guess) {.code = code, .number = dictionary_number(guesses->values, value, isnull)};
}

/* Appends a value, given with its type, or its bin, which is what fingerprints are of. */
static void
add_number(Guesses *guesses, Oid type, Datum value, Code code)
{
	add_guess(guesses, guesses->step == NULL ? value : bin_of(guesses->step, type, value), false, code);
}

/* A text as a value of the column; of other types than these it is not known how equal values look. */
static void
add_text(Guesses *guesses, const DeclaredColumn *column, const char *text, Code code)
{
	Oid			input;
	Oid			parameter;

	if (column->type != TEXTOID && column->type != VARCHAROID && column->type != BPCHAROID)
		return;
	getTypeInputInfo(column->type, &input, &parameter);
	add_guess(guesses, OidInputFunctionCall(input, unconstify(char *, text), parameter, column->typmod), false, code);
}

/* Values of the source. */
static void
guess_from_source(Guesses *guesses, const Coding *coding, const CellSpans *line)
{
	const Domain *domain = coding->domain;
	Code		nvalues = domain->size - (domain->null_code != NO_CODE);

	for (Code code = 0; code < nvalues && coding->values != NULL; code++)
		add_number(guesses, coding->type, coding->values[code], line->code[code]);
	for (Code code = 0; code < nvalues && coding->texts != NULL; code++)
		add_text(guesses, coding->column, coding->texts[code], line->code[code]);
	if (coding->names == NULL)
		return;
	for (uint32 i = 0; i < domain->tree->nnodes; i++)
	{
		Span		leaves = domain->tree->nodes[i].leaves;

		if (leaves.lo == leaves.hi && coding->names[i] != NULL)
			add_text(guesses, coding->column, coding->names[i], line->code[leaves.lo]);
	}
}

/* Where a range begins. */
static void
guess_from_range(Guesses *guesses, const DeclaredColumn *column, Datum printed, Code code)
{
	TypeCacheEntry *range = range_over(column->type);
	RangeBound	lower;
	RangeBound	upper;
	bool		empty;

	if (range->rngelemtype->type_id != guesses->type)
		return;
	range_deserialize(range, DatumGetRangeTypeP(printed), &lower, &upper, &empty);
	if (!empty && !lower.infinite && lower.inclusive)
		add_number(guesses, guesses->type, lower.val, code);
}

/* Orders guesses by code, then by value, so that equal ones become neighbors. */
DEFINE_ORDER(compare_guesses, Guess, ASCENDING(code) ASCENDING(number));

/* Lists the values that a column may have had: those of the source, and those of cells that were shown. */
static Guesses
guesses_of(const Sequencing *sequencing, int q)
{
	const DeclaredColumn *column = sequencing->reading->column[q];
	const CellSpans *line = &sequencing->source->line[q];
	Guesses		guesses = {.step = step_of(column), .type = column->type};
	uint32	   *print;
	uint32		n = 0;
	const Cells *cells;

	if (guesses.step != NULL)
		guesses.type = guesses.step->type;
	guesses.values = dictionary_create(guesses.type);
	guess_from_source(&guesses, sequencing->source->loaded->codings[q], line);
	/* Values that cells show. */
	cells = sequencing->reading->cells[q];
	for (Cell cell = 0; cell < cells_size(cells); cell++)
	{
		bool		isnull;
		Datum		printed;

		if (cell == cells_whole(cells) || !line->is_sound[cell])
			continue;
		printed = cells_printed(cells, cell, &isnull);
		if (isnull)
			add_guess(&guesses, printed, true, line->span[cell].lo);
		else if (column->kind == KIND_RANGE)
			guess_from_range(&guesses, column, printed, line->span[cell].lo);
		else if (column->kind != KIND_TAXONOMY)
			add_text(&guesses, column, TextDatumGetCString(printed), line->span[cell].lo);
	}
	print = dictionary_fingerprints(guesses.values);
	if (guesses.n > 0)
		qsort(guesses.guess, guesses.n, sizeof(Guess), compare_guesses);
	for (uint32 i = 0; i < guesses.n; i++)
	{
		if (n > 0 && compare_guesses(&guesses.guess[n - 1], &guesses.guess[i]) == 0)
			continue;
		guesses.guess[n] = guesses.guess[i];
		guesses.guess[n].print = print[guesses.guess[n].number];
		n++;
	}
	guesses.n = n;
	pfree(print);
	return guesses;
}

/* The first guess that is not below a code. */
static uint32
first_guess(const Guesses *guesses, Code code)
{
	uint32		low = 0;
	uint32		high = guesses->n;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (guesses->guess[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Lists what a release may show of a person; false if he is known as well as can be, or too little. */
static bool
list_ways(const Recovery *recovery, const ReadRelease *release, const Span *cover, Ways *ways)
{
	uint64		product = 1;
	bool		is_open = false;

	ways->n = 0;
	for (int q = 0; q < recovery->reading->nqis && product <= MOST_WAYS; q++)
	{
		const Guesses *guesses = &recovery->guesses[q];
		uint32		first;

		if (release->cell[q] == NULL)
			continue;
		first = first_guess(guesses, cover[q].lo);
		ways->column[ways->n] = q;
		ways->guess[ways->n] = &guesses->guess[first];
		ways->nguesses[ways->n] = first_guess(guesses, cover[q].hi + 1) - first;
		ways->chosen[ways->n] = 0;
		product *= ways->nguesses[ways->n++];
		is_open |= cover[q].lo < cover[q].hi;
	}
	return is_open && product > 0 && product <= MOST_WAYS;
}

/* Narrows cells by a release: to the one way that has the fingerprint, if there is one. */
static void
recover_from(const Recovery *recovery, int32 r, uint32 print, Ways *ways, Span *cover)
{
	int			i;

	if (!list_ways(recovery, &recovery->reading->release[r], cover, ways))
		return;
	ways->found = ways->is_ambiguous = false;
	do
	{
		uint32		of_way = 0;

		for (i = 0; i < ways->n; i++)
			of_way = hash_combine(of_way, ways->guess[i][ways->chosen[i]].print);
		for (i = 0; i < ways->n && of_way == print; i++)
		{
			Code		code = ways->guess[i][ways->chosen[i]].code;

			ways->is_ambiguous |= ways->found && ways->code[i] != code;
			ways->code[i] = code;
		}
		ways->found |= of_way == print;

		/* The next way */
		for (i = 0; i < ways->n && ++ways->chosen[i] == ways->nguesses[i]; i++)
			ways->chosen[i] = 0;
	} while (i < ways->n);
	for (i = 0; i < ways->n && ways->found && !ways->is_ambiguous; i++)
		cover[ways->column[i]] = span_of(ways->code[i]);
}

void
recover_person(const Recovery *recovery, Individual individual, const bool *is_absent, Span *cover)
{
	int			nqis = recovery->reading->nqis;
	Ways		ways = {
		.column = palloc(sizeof(int) * (nqis + 1)), .guess = palloc(sizeof(Guess *) * (nqis + 1)),
		.nguesses = palloc(sizeof(uint32) * (nqis + 1)), .chosen = palloc(sizeof(uint32) * (nqis + 1)),
		.code = palloc(sizeof(Code) * (nqis + 1))
	};

	CHECK_FOR_INTERRUPTS();
	for (int32 r = 0; r < recovery->nreleases; r++)
		if (!is_absent[r] && recovery->print[r][individual] != 0)
			recover_from(recovery, recovery->first + r, recovery->print[r][individual], &ways, cover);
	pfree(ways.column);
	pfree(ways.guess);
	pfree(ways.nguesses);
	pfree(ways.chosen);
	pfree(ways.code);
}

Recovery *
recovery_create(const Sequencing *sequencing, int32 first)
{
	const Reading *reading = sequencing->reading;
	Recovery   *recovery = palloc0(sizeof(Recovery));

	*recovery = (Recovery) {.reading = reading, .first = first, .nreleases = reading->nreleases - first};
	recovery->guesses = palloc(sizeof(Guesses) * (reading->nqis + 1));
	for (int q = 0; q < reading->nqis; q++)
		recovery->guesses[q] = guesses_of(sequencing, q);
	recovery->print = palloc(sizeof(uint32 *) * (recovery->nreleases + 1));
	for (int32 r = 0; r < recovery->nreleases; r++)
	{
		const SeenRelease *seen = reading->release[first + r].seen;

		recovery->print[r] = new_zeros(uint32, reading->recalled->seen.nindividuals);
		for (uint64 i = 0; i < seen->first[seen->nclasses]; i++)
			recovery->print[r][seen->individual[i]] = seen->fingerprint[i];
	}
	return recovery;
}

/*
 * source.c
 *		Reading the source, and which of its people are in releases.
 */
#include "report/linkability/source.h"

#include "audit/join/cells.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* ----------------------------------------------------------------
 * Insensitive values
 * ----------------------------------------------------------------
 */

static inline uint64
add_print(uint64 print, uint32 number)
{
	return (print ^ number) * UINT64CONST(0x9E3779B97F4A7C15) + 1;
}

uint64
insensitive_print(const Reading *reading, const ReadRelease *release, uint64 row)
{
	uint64		print = 0;

	for (int i = 0; i < reading->ninsensitive; i++)
		if (release->insensitive[i] != NULL && reading->is_compared[i])
			print = add_print(print, release->insensitive[i][row]);
	return print;
}

static bool
is_any_compared(const Reading *reading)
{
	for (int i = 0; i < reading->ninsensitive; i++)
		if (reading->is_compared[i])
			return true;
	return false;
}

/* Sets the prints of the insensitive values that are compared, person by person. */
static void
print_insensitive(const Reading *reading, Source *source)
{
	const LoadedFrame *loaded = source->loaded;
	int			n = 0;

	if (!is_any_compared(reading))
		return;
	source->insensitive_print = new_zeros(uint64, reading->recalled->seen.nindividuals);
	for (int i = 0; i < reading->ninsensitive; i++)
	{
		const PlainColumn *plain;
		uint32	   *number;

		if (!reading->is_compared[i])
			continue;
		plain = &loaded->insensitive[n++];
		number = numbers_of_codes(reading->insensitive[i], plain);
		for (uint64 row = 0; row < loaded->frame.nrows; row++)
		{
			uint64	   *print;

			if (source->individual[row] == NO_INDIVIDUAL)
				continue;
			print = &source->insensitive_print[source->individual[row]];
			*print = add_print(*print, plain->code[row] == NO_CODE ? DICTIONARY_NULL : number[plain->code[row]]);
		}
		pfree(number);
	}
}

/* ----------------------------------------------------------------
 * The source
 * ----------------------------------------------------------------
 */

/* All quasi-identifiers, and the insensitive columns that are compared. */
static bool *
wanted_columns(const Reading *reading)
{
	const DeclaredPublication *publication = reading->publication;
	bool	   *wanted = palloc0(sizeof(bool) * publication->ncolumns);
	int			insensitive = 0;

	for (int i = 0; i < publication->ncolumns; i++)
	{
		ColumnRole	role = publication->columns[i].role;

		wanted[i] = role == ROLE_QUASI_IDENTIFIER || (role == ROLE_INSENSITIVE && reading->is_compared[insensitive]);
		insensitive += role == ROLE_INSENSITIVE;
	}
	return wanted;
}

/* Finds the individual of each row of the source. */
static void
find_individuals(const Reading *reading, Source *source)
{
	const KeyTable *people = reading->recalled->people;
	uint64		nrows = source->loaded->frame.nrows;

	source->individual = new_zeros(Individual, nrows);
	for (uint64 row = 0; row < nrows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		source->individual[row] = keys_find(people, source->loaded->keys[row]);
	}
}

/* Finds taxonomies of which releases that show them have other trees. */
static void
find_aged(const Reading *reading, Source *source)
{
	int32	   *tree = palloc(sizeof(int32) * (reading->nreleases + 1));

	source->aged = palloc(sizeof(int) * (reading->nqis + 1));
	source->ages = palloc(sizeof(TreeAges *) * (reading->nqis + 1));
	for (int q = 0; q < reading->nqis; q++)
	{
		int32		n = 0;
		TreeAges   *ages;

		for (int32 r = 0; r < reading->nreleases; r++)
			if (reading->release[r].cell[q] != NULL)
				tree[n++] = reading->release[r].tree[q];
		ages = tree_ages(reading->column[q], reading->cells[q], source->loaded->codings[q], tree, n);
		if (ages == NULL)
			continue;
		source->aged[source->naged] = q;
		source->ages[source->naged++] = ages;
	}
	pfree(tree);
}

Source *
read_source(const Reading *reading)
{
	Source	   *source = palloc0(sizeof(Source));
	MemoryContext context = CurrentMemoryContext;

	source->loaded = load_finish_exact(load_rows(reading->publication, NULL, wanted_columns(reading), false, context));
	find_individuals(reading, source);
	print_insensitive(reading, source);
	source->line = palloc(sizeof(CellSpans) * (reading->nqis + 1));
	for (int q = 0; q < reading->nqis; q++)
		source->line[q] = cell_spans(reading->column[q], reading->cells[q], source->loaded->codings[q]);
	find_aged(reading, source);
	return source;
}

/* ----------------------------------------------------------------
 * Tuples
 * ----------------------------------------------------------------
 */

/* People who are in one of the first n releases; NULL for all. */
static bool *
find_members(const Reading *reading, int32 n)
{
	bool	   *is_member = new_zeros(bool, reading->recalled->seen.nindividuals);

	for (int32 r = 0; r < n; r++)
	{
		const SeenRelease *seen = reading->release[r].seen;

		if (!reading->release[r].is_logged && reading->release[r].nrows > 0)
			return NULL;
		for (uint64 i = 0; i < seen->first[seen->nclasses]; i++)
			if (!seen->counterfeit[i])
				is_member[seen->individual[i]] = true;
	}
	return is_member;
}

/* Lists the source's rows of people who are in one of the first n releases. */
static void
list_members(const Reading *reading, const Source *source, int32 n, SourceTuples *tuples)
{
	uint64		nrows = source->loaded->frame.nrows;
	const bool *is_member = find_members(reading, n);

	tuples->row_of = new_zeros(uint32, nrows);
	for (uint64 row = 0; row < nrows; row++)
		if (is_member == NULL || (source->individual[row] != NO_INDIVIDUAL && is_member[source->individual[row]]))
			tuples->row_of[tuples->nrows++] = row;
}

/* How many columns from this one on have codes that one number holds together? */
static int
count_packed(const Frame *frame, int first)
{
	uint64		product = 1;
	int			q = first;

	for (; q < frame->nqis && product <= PG_UINT64_MAX / Max(frame->domain[q].size, 1); q++)
		product *= Max(frame->domain[q].size, 1);
	return q - first;
}

/* Sets which rows have the same tuple: by as many columns at once as can be. */
static void
part_rows(const Source *source, SourceTuples *tuples)
{
	const Frame *frame = &source->loaded->frame;
	Parting		parting = parting_create(tuples->nrows);
	Span	   *cells = new_zeros(Span, tuples->nrows);

	for (int q = 0, end; q < frame->nqis; q = end)
	{
		end = q + count_packed(frame, q);
		for (uint64 i = 0; i < tuples->nrows; i++)
		{
			uint64		packed = 0;

			for (int c = q; c < end; c++)
				packed = packed * frame->domain[c].size + frame->code[c][tuples->row_of[i]];
			cells[i] = (Span) {(Code) packed, (Code) (packed >> 32)};
		}
		part_by(&parting, cells);
	}
	pfree(cells);
	tuples->ntuples = parting.nparts;
	tuples->tuple_of = parting.part;
}

SourceTuples *
tuples_of_members(const Reading *reading, const Source *source, int32 n)
{
	const Frame *frame = &source->loaded->frame;
	SourceTuples *tuples = palloc0(sizeof(SourceTuples));

	list_members(reading, source, n, tuples);
	part_rows(source, tuples);
	tuples->row = new_zeros(uint32, tuples->ntuples);
	tuples->records = new_zeros(uint64, tuples->ntuples);
	for (uint64 i = tuples->nrows; i-- > 0;)
	{
		tuples->row[tuples->tuple_of[i]] = tuples->row_of[i];
		tuples->records[tuples->tuple_of[i]]++;
	}
	tuples->code = palloc(sizeof(Code *) * (frame->nqis + source->naged + 1));
	for (int c = 0; c < frame->nqis + source->naged; c++)
	{
		tuples->code[c] = new_zeros(Code, tuples->ntuples);
		for (uint32 t = 0; t < tuples->ntuples; t++)
			tuples->code[c][t] = code_of_row(source, c, tuples->row[t]);
	}
	return tuples;
}

/*
 * people.c
 *		The people of the source, and one record of each person in each release.
 *
 * NOTES
 *		Absentees are withheld, but show their sensitive value where the release
 *		shows that column and another one shows it of them (paper 000, section 6).
 */
#include "report/linkability/linkability.h"

#include "audit/join/cells.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* ---- Insensitive values ---- */

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

/* Sets the prints of the insensitive values that are compared, person by person. */
static void
print_insensitive(const Reading *reading, Source *source)
{
	const LoadedFrame *loaded = source->loaded;
	int			n = 0;

	for (int i = 0; i < reading->ninsensitive; i++)
	{
		const PlainColumn *plain;
		uint32	   *number;

		if (!reading->is_compared[i])
			continue;
		if (n == 0)
			source->insensitive_print = new_zeros(uint64, reading->recalled->seen.nindividuals);
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

/* ---- The source ---- */

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
read_source(const Reading *reading, const LoadedFrame *loaded)
{
	const DeclaredPublication *publication = reading->publication;
	Source	   *source = palloc0(sizeof(Source));
	bool	   *wanted = palloc0(sizeof(bool) * publication->ncolumns);
	int			insensitive = 0;

	/* All quasi-identifiers, and the insensitive columns that are compared */
	for (int i = 0; i < publication->ncolumns; i++)
		wanted[i] = publication->columns[i].role == ROLE_QUASI_IDENTIFIER ||
			(publication->columns[i].role == ROLE_INSENSITIVE && reading->is_compared[insensitive++]);
	source->loaded = loaded != NULL ? loaded :
		load_finish_exact(load_rows(publication, NULL, wanted, false, CurrentMemoryContext));
	source->individual = new_zeros(Individual, source->loaded->frame.nrows);
	for (uint64 row = 0; row < source->loaded->frame.nrows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		source->individual[row] = keys_find(reading->recalled->people, source->loaded->keys[row]);
	}
	print_insensitive(reading, source);
	source->line = palloc(sizeof(CellSpans) * (reading->nqis + 1));
	for (int q = 0; q < reading->nqis; q++)
		source->line[q] = cell_spans(reading->column[q], reading->cells[q], source->loaded->codings[q]);
	find_aged(reading, source);
	return source;
}

/* ---- Tuples ---- */

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

/* Sets which rows have the same tuple: by as many columns at once as one number holds. */
static void
part_rows(const Source *source, SourceTuples *tuples)
{
	const Frame *frame = &source->loaded->frame;
	Parting		parting = parting_create(tuples->nrows);
	Span	   *cells = new_zeros(Span, tuples->nrows);

	for (int q = 0, end; q < frame->nqis; q = end)
	{
		uint64		product = 1;

		for (end = q; end < frame->nqis && product <= PG_UINT64_MAX / Max(frame->domain[end].size, 1); end++)
			product *= Max(frame->domain[end].size, 1);
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
	const bool *is_member = find_members(reading, n);

	tuples->row_of = new_zeros(uint32, frame->nrows);
	for (uint64 row = 0; row < frame->nrows; row++)
		if (is_member == NULL || (source->individual[row] != NO_INDIVIDUAL && is_member[source->individual[row]]))
			tuples->row_of[tuples->nrows++] = row;
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

/* ---- Records ---- */

#define NO_RECORD	PG_UINT32_MAX

/* People while they are gathered from the releases. */
typedef struct Gathering
{
	const Reading *reading;
	const Source *source;
	int32		nreleases;
	uint32		allocated;		/* people */
	People	   *people;

	/* By person */
	Code	   *value;			/* as the log has it; NO_CODE if it is not known */
	Code	   *shown_value;	/* as a release shows it; NO_CODE */
	uint32	   *record;			/* [people * releases] or NO_RECORD; any number where it is not known whose rows are */
	uint32	   *print;			/* [people * releases] fingerprints */
} Gathering;

/* ---- People who count as others by now ---- */

static bool
shows_alike(const Reading *reading, const ReadRelease *a, const ReadRelease *b)
{
	for (int q = 0; q < reading->nqis; q++)
		if ((a->cell[q] == NULL) != (b->cell[q] == NULL))
			return false;
	return true;
}

/* Quasi-identifiers, and the ages of those that have any, as columns of joins */
static inline int
count_columns(const Gathering *gathering)
{
	return gathering->reading->nqis + gathering->source->naged;
}

static inline int
quasi_identifier_of(const Gathering *gathering, int column)
{
	int			nqis = gathering->reading->nqis;

	return column < nqis ? column : gathering->source->aged[column - nqis];
}

/* A release's cell in a column of joins */
static inline Span
span_in(const Gathering *gathering, const ReadRelease *release, int column, Cell cell)
{
	int			aged = column - gathering->reading->nqis;

	return aged < 0 ? gathering->source->line[column].span[cell] :
		age_span(gathering->source->ages[aged], cell, release->tree[gathering->source->aged[aged]]);
}

/* Do two records have cells in common in each column that both releases show? */
static bool
cells_agree(const Gathering *gathering, int32 r, uint32 record, int32 s, uint32 other)
{
	const Reading *reading = gathering->reading;
	const ReadRelease *a = &reading->release[r];
	const ReadRelease *b = &reading->release[s];

	if (a->individual == NULL || b->individual == NULL)
		return true;
	for (int c = 0; c < count_columns(gathering); c++)
	{
		int			q = quasi_identifier_of(gathering, c);

		if (a->cell[q] != NULL && b->cell[q] != NULL &&
			!span_overlaps(span_in(gathering, a, c, a->cell[q][record]), span_in(gathering, b, c, b->cell[q][other])))
			return false;
	}
	return true;
}

/* Is a person of release r, as far as it can be known, the one that he was? */
static bool
is_still(const Gathering *gathering, uint32 person, int32 r, uint32 record, Code value, uint32 print)
{
	if (value != NO_CODE && gathering->value[person] != NO_CODE && gathering->value[person] != value)
		return false;
	for (int32 s = 0; s < r; s++)
	{
		Size		place = (Size) person * gathering->nreleases + s;

		if (gathering->record[place] == NO_RECORD)
			continue;
		if (print != 0 && gathering->print[place] != 0 &&
			gathering->print[place] != print && shows_alike(gathering->reading, &gathering->reading->release[s], &gathering->reading->release[r]))
			return false;
		if (!cells_agree(gathering, r, record, s, gathering->record[place]))
			return false;
	}
	return true;
}

/* ---- People ---- */

/* Makes room for more people. */
static void
make_room(Gathering *gathering)
{
	Size		n = gathering->allocated = Max(1024, gathering->allocated * 2);

	if (n > PG_UINT32_MAX / 4)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("releases have too many people to be joined"),
				 errhint("Join fewer releases, or releases of a part of the people.")));
	array_resize(gathering->people->individual, n);
	array_resize(gathering->value, n);
	array_resize(gathering->shown_value, n);
	array_resize(gathering->record, n * gathering->nreleases);
	array_resize(gathering->print, n * gathering->nreleases);
}

/* Adds a person, in no release yet; returns the number. */
static uint32
add_person(Gathering *gathering, Individual individual, Code value)
{
	People	   *people = gathering->people;
	uint32		person = people->n;

	if (person == gathering->allocated)
		make_room(gathering);
	people->n++;
	people->individual[person] = individual;
	gathering->value[person] = value;
	gathering->shown_value[person] = NO_CODE;
	for (int32 r = 0; r < gathering->nreleases; r++)
		gathering->record[(Size) person * gathering->nreleases + r] = NO_RECORD;
	if (individual != NO_INDIVIDUAL)
		people->last_of_individual[individual] = person;
	return person;
}

/* Notes that a person, with this sensitive value and fingerprint, as far as known, has a record of a release. */
static void
meet(Gathering *gathering, int32 r, Individual individual, uint32 record, Code value, uint32 print)
{
	const ReadRelease *release = &gathering->reading->release[r];
	uint32		person = gathering->people->last_of_individual[individual];
	Size		place;

	if (person == NOBODY_YET || !is_still(gathering, person, r, record, value, print))
		person = add_person(gathering, individual, value);
	place = (Size) person * gathering->nreleases + r;
	gathering->record[place] = record;
	gathering->print[place] = print;
	if (value != NO_CODE)
		gathering->value[person] = value;
	if (release->value != NULL)
		gathering->shown_value[person] = value;
}

/*
 * A member's value as the log has it.  It has somebody else's of those who had left the source when a release that does
 * not show values was imported, and no fingerprint.
 */
static Code
logged_value(const Reading *reading, const ReadRelease *release, uint64 i)
{
	const SeenRelease *seen = release->seen;

	if (release->value == NULL && seen->fingerprint[i] == 0)
		return NO_CODE;
	return seen->value[i] != NO_CODE ? seen->value[i] : reading->null_value;
}

/* Notes the records of a release's people. */
static void
meet_release(Gathering *gathering, int32 r)
{
	const Reading *reading = gathering->reading;
	const ReadRelease *release = &reading->release[r];
	const SeenRelease *seen = release->seen;
	uint32	   *row = NULL;		/* [individuals] which each has */
	uint32		n = 0;

	if (release->individual != NULL)
		row = new_zeros(uint32, reading->recalled->seen.nindividuals);
	for (uint64 i = 0; i < release->nrows && row != NULL; i++)
		row[release->individual[i]] = i;
	for (uint64 i = 0; i < seen->first[seen->nclasses]; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (seen->counterfeit[i])
			continue;
		meet(gathering, r, seen->individual[i], row == NULL ? n++ : row[seen->individual[i]],
			 logged_value(reading, release, i), seen->fingerprint[i]);
	}
	if (row != NULL)
		pfree(row);
}

/* Gathers the people of all releases, from the first to the last. */
static void
gather(Gathering *gathering)
{
	const Reading *reading = gathering->reading;
	People	   *people = gathering->people;
	uint64		nindividuals = reading->recalled->seen.nindividuals;

	make_room(gathering);
	people->last_of_individual = new_array(uint32, nindividuals);
	memset(people->last_of_individual, 0xff, sizeof(uint32) * (nindividuals + 1));	/* NOBODY_YET */
	people->is_exact = true;
	for (int32 r = 0; r < gathering->nreleases; r++)
	{
		const ReadRelease *release = &reading->release[r];

		meet_release(gathering, r);
		people->is_exact &= release->individual != NULL || release->nrows == 0;
	}
}

/* ---- Absentees ---- */

static bool
is_known_who(const Reading *reading, int32 r)
{
	return reading->release[r].is_logged || reading->release[r].nrows == 0;
}

/*
 * For any two releases: which of the two are there, and which are not, of anybody.  Not where people had to be added
 * because rows did not fit, nor where it is not known who is in a release.
 */
static Together *
find_together(const Gathering *gathering, bool may_be_anybody)
{
	const uint32 *record = gathering->record;
	Size		n = gathering->nreleases;
	Together   *found = palloc0(sizeof(Together) * (pair_number(0, n) + 1));

	for (int32 b = 0; b < gathering->nreleases; b++)
		for (int32 a = 0; a < b; a++)
		{
			Together   *together = &found[pair_number(a, b)];

			CHECK_FOR_INTERRUPTS();
			if (may_be_anybody || !is_known_who(gathering->reading, a) || !is_known_who(gathering->reading, b))
			{
				*together = ALL_TOGETHER;
				continue;
			}
			take_steps(gathering->people->n);
			for (uint32 p = 0; p < gathering->people->n && *together != ALL_TOGETHER; p++)
				*together |= may_be(record[p * n + a] == NO_RECORD, record[p * n + b] == NO_RECORD);
		}
	return found;
}

/* ---- Records ---- */

/* A column of a release, in which its absentees are withheld, behind its rows. */
static Span *
make_column(const ReadRelease *release, uint32 n)
{
	Span	   *cells = new_zeros(Span, n);

	for (uint64 i = release->nrows; i < n; i++)
		cells[i] = ANYTHING;
	return cells;
}

/* A column of joins as a release shows it, or NULL if it does not. */
static const Span *
cells_of(const Gathering *gathering, const ReadRelease *release, int column)
{
	const Cell *cell = release->cell[quasi_identifier_of(gathering, column)];
	Span	   *cells;

	if (cell == NULL)
		return NULL;
	cells = make_column(release, gathering->people->n);
	for (uint64 i = 0; i < release->nrows; i++)
		cells[i] = span_in(gathering, release, column, cell[i]);
	return cells;
}

/* An insensitive column as a release shows it, or NULL if it is not compared. */
static const Span *
insensitive_of(const Gathering *gathering, const ReadRelease *release, int i)
{
	const uint32 *number = release->insensitive[i];
	Span	   *cells;

	if (number == NULL || !gathering->reading->is_compared[i])
		return NULL;
	cells = make_column(release, gathering->people->n);
	for (uint64 row = 0; row < release->nrows; row++)
		cells[row] = span_of(number[row]);
	return cells;
}

/* The people of the rows, and then the absentees. */
static uint32 *
list_people(const Gathering *gathering, int32 r, uint32 *absentees)
{
	const ReadRelease *release = &gathering->reading->release[r];
	uint32		n = gathering->people->n;
	uint32	   *person = new_zeros(uint32, n);
	uint64		at = release->nrows;

	for (uint32 p = 0; p < n; p++)
	{
		uint32		record = gathering->record[(Size) p * gathering->nreleases + r];

		if (record != NO_RECORD)
			person[record] = p;
		else if (at < n)
		{
			absentees[at - release->nrows] = p;
			person[at++] = p;
		}
	}
	return person;
}

/* The sensitive values of a release's records, or NULL if it does not show them. */
static const Code *
values_of(const Gathering *gathering, int32 r, const uint32 *absentees)
{
	const ReadRelease *release = &gathering->reading->release[r];
	uint32		n = gathering->people->n;
	Code	   *value;

	if (release->value == NULL)
		return NULL;
	value = new_zeros(Code, n);
	memcpy(value, release->value, sizeof(Code) * release->nrows);
	for (uint32 i = 0; i < n - release->nrows; i++)
		value[release->nrows + i] = is_known_who(gathering->reading, r) ? gathering->shown_value[absentees[i]] : NO_CODE;
	return value;
}

/* A release as match joins take it. */
static JoinRelease
records_of(const Gathering *gathering, int32 r)
{
	const Reading *reading = gathering->reading;
	const ReadRelease *release = &reading->release[r];
	uint32		n = gathering->people->n;
	int			ncolumns = count_columns(gathering);
	const Span **cells = palloc(sizeof(Span *) * (ncolumns + reading->ninsensitive + 1));
	uint32	   *absentees = new_zeros(uint32, n);
	uint32	   *person = list_people(gathering, r, absentees);
	JoinRelease result = {.nrecords = n, .nabsent = n - release->nrows, .cells = cells};

	take_steps((uint64) n * RECORD_STEPS);
	for (int c = 0; c < ncolumns; c++)
		cells[c] = cells_of(gathering, release, c);
	for (int i = 0; i < reading->ninsensitive; i++)
		cells[ncolumns + i] = insensitive_of(gathering, release, i);
	result.sensitive = values_of(gathering, r, absentees);
	result.person = release->individual == NULL && release->nrows > 0 ? NULL : person;
	pfree(absentees);
	return result;
}

People *
people_of(const Reading *reading, const Source *source, int32 n, bool is_guess, bool unifying, uint64 more)
{
	People	   *people = palloc0(sizeof(People));
	Gathering	gathering = {.reading = reading, .source = source, .nreleases = n, .people = people};
	JoinRelease *release = palloc0(sizeof(JoinRelease) * (n + 1));
	uint64		needed;

	/* A cell of no kind, or of nothing, was not published. */
	for (int32 r = 0; r < n; r++)
		for (int q = 0; q < reading->nqis; q++)
			for (uint64 i = 0; reading->release[r].cell[q] != NULL && i < reading->release[r].nrows; i++)
				if (!source->line[q].is_sound[reading->release[r].cell[q][i]])
					refuse_release(reading, &reading->release[r]);
	gather(&gathering);
	/* Where rows are of unknown people, these are added: as few as can be. */
	needed = people->n;
	for (int32 r = 0; r < n; r++)
		needed = Max(needed, reading->release[r].nrows);
	for (needed += more; people->n < needed;)
		(void) add_person(&gathering, NO_INDIVIDUAL, NO_CODE);
	people->is_exact &= !is_guess;
	for (int32 r = 0; r < n; r++)
		release[r] = records_of(&gathering, r);
	people->input = (JoinInput) {
		.nreleases = n,
		.release = release,
		.ncolumns = count_columns(&gathering) + reading->ninsensitive,
		.nqis = count_columns(&gathering),
		.nvalues = reading->nvalues,
		.null_value = reading->null_value,
		.is_guess = is_guess,
		.together = unifying ? NULL : find_together(&gathering, is_guess && more > 0)
	};
	pfree(gathering.value);
	pfree(gathering.shown_value);
	pfree(gathering.record);
	pfree(gathering.print);
	return people;
}

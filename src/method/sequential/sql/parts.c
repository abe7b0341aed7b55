/*
 * parts.c
 *		Joins of some of the people.
 *
 * NOTES
 *		A person who left before the release at hand is in a part as an absentee.  What he was is recovered, or else he
 *		may be anything that his cells cover.
 *
 *		Observers know of everybody in which releases he was.  So to be there or not is a quasi-identifier like any
 *		other: a column for each release that a person is absent from, which that release shows.  Otherwise those who
 *		came later would seem to hide those who were there before.
 *
 *		Two releases tell by themselves how many people are in both.  Of more, a roster tells how many are in which:
 *		one release before all others that shows these columns, and so has a record of each person that fits that
 *		person's records only.  The sensitive values of absentees are unknown.
 */
#include "method/sequential/sql/sequential_sql.h"

#include "frame/arrays.h"
#include "miscadmin.h"

#define NO_PERSON PG_UINT32_MAX

typedef struct PeopleParting
{
	const Sequencing *sequencing;
	const JoinInput *all;
	uint32	   *number;			/* [people] in the part at hand; NO_PERSON */
	uint32		npeople;		/* of the part at hand */
	int32		first;			/* release of it */
	int32		nreleases;		/* of it */
} PeopleParting;

static inline bool
is_present(const JoinRelease *release, uint32 record)
{
	return record < release->nrecords - release->nabsent;
}

/* Which records of a release are of the people chosen: [people of the part]. */
static uint32 *
chosen_records(const PeopleParting *parting, const JoinRelease *release)
{
	uint32	   *record = new_zeros(uint32, parting->npeople);
	uint32		n = 0;

	for (uint32 i = 0; i < release->nrecords; i++)
		if (parting->number[release->person[i]] != NO_PERSON)
			record[n++] = i;
	return record;
}

/* A release as the part has it, with one more column: who is absent from it. */
static JoinRelease
part_of_release(const PeopleParting *parting, int32 r)
{
	const JoinRelease *release = &parting->all->release[parting->first + r];
	uint32		n = parting->npeople;
	uint32	   *record = chosen_records(parting, release);
	const Span **cells = new_zeros(const Span *, parting->all->ncolumns + parting->nreleases);
	Code	   *sensitive = new_zeros(Code, n);
	uint32	   *person = new_zeros(uint32, n);
	JoinRelease part = {.nrecords = n, .cells = cells, .person = person};

	for (int32 c = 0; c < parting->all->ncolumns; c++)
	{
		Span	   *column;

		if (release->cells[c] == NULL)
			continue;
		/* Columns of who is there come behind the quasi-identifiers */
		cells[c < parting->all->nqis ? c : c + parting->nreleases] = column = new_zeros(Span, n);
		for (uint32 i = 0; i < n; i++)
			column[i] = release->cells[c][record[i]];
	}
	for (uint32 i = 0; i < n; i++)
	{
		person[i] = parting->number[release->person[record[i]]];
		part.nabsent += !is_present(release, record[i]);
		sensitive[i] = release->sensitive == NULL || !is_present(release, record[i]) ? NO_CODE : release->sensitive[record[i]];
	}
	part.sensitive = release->sensitive == NULL ? NULL : sensitive;
	if (part.nabsent > 0)
	{
		Span	   *presence = new_zeros(Span, n);

		for (uint32 i = 0; i < n; i++)
			presence[i] = span_of(!is_present(release, record[i]));
		cells[parting->all->nqis + r] = presence;
	}
	pfree(record);
	return part;
}

/* Finds the people of the part who are absent from a release: [people of the part]. */
static bool *
absent_people(const JoinRelease *release)
{
	bool	   *absent = new_zeros(bool, release->nrecords);

	for (uint32 i = 0; i < release->nrecords; i++)
		absent[release->person[i]] = !is_present(release, i);
	return absent;
}

/* Finds for each two releases how people of the part may be in them: in both, in one, in neither. */
static Together *
together_of(const JoinInput *join)
{
	Together   *together = new_zeros(Together, pair_number(0, join->nreleases));
	bool	  **absent = palloc(sizeof(bool *) * join->nreleases);

	for (int32 r = 0; r < join->nreleases; r++)
		absent[r] = absent_people(&join->release[r]);
	for (int32 s = 0; s < join->nreleases; s++)
		for (int32 r = 0; r < s; r++)
			for (uint32 p = 0; p < join->release[0].nrecords; p++)
				together[pair_number(r, s)] |= may_be(absent[r][p], absent[s][p]);
	for (int32 r = 0; r < join->nreleases; r++)
		pfree(absent[r]);
	pfree(absent);
	return together;
}

/*
 * The cell that covers all records of each person in a column: [people of the part].  One code will do for columns
 * that observers do not see.
 */
static Span *
covered(const JoinInput *join, int32 column, Span whole)
{
	uint32		n = join->release[0].nrecords;
	Span	   *cover = new_zeros(Span, n);
	bool		is_shown = false;

	for (int32 r = 0; r < join->nreleases; r++)
		is_shown |= join->release[r].cells[column] != NULL;
	for (uint32 p = 0; p < n; p++)
		cover[p] = is_shown ? whole : span_of(0);
	for (int32 r = 0; r < join->nreleases; r++)
	{
		const JoinRelease *release = &join->release[r];

		for (uint32 i = 0; release->cells[column] != NULL && i < n; i++)
		{
			Span	   *own = &cover[release->person[i]];
			Span		cell = release->cells[column][i];

			*own = (Span) {Max(own->lo, cell.lo), Min(own->hi, cell.hi)};
		}
	}
	return cover;
}

/* The source's row of each person of the part who is there, and is what the releases showed: [people of the part] or NO_ROW. */
static RowId *
rows_of_source(const PeopleParting *parting, const People *people)
{
	const Source *source = parting->sequencing->source;
	const bool *is_changed = parting->sequencing->is_changed;
	RowId	   *row = new_array(RowId, parting->npeople);

	memset(row, 0xff, sizeof(RowId) * ((Size) parting->npeople + 1));	/* NO_ROW */
	for (uint64 i = 0; i < source->loaded->frame.nrows; i++)
	{
		Individual	individual = source->individual[i];
		uint32		person = individual == NO_INDIVIDUAL ? NOBODY_YET : people->last_of_individual[individual];

		if (person != NOBODY_YET && parting->number[person] != NO_PERSON && (is_changed == NULL || !is_changed[individual]))
			row[parting->number[person]] = i;
	}
	return row;
}

/*
 * Narrows the cells of people who are not in the source as they were to what they were, as far as the log tells:
 * cover[columns][people of the part].
 */
static void
recover_people(const PeopleParting *parting, const People *people, const JoinInput *join, const RowId *row, Span **cover)
{
	int			nqis = parting->sequencing->reading->nqis;
	Individual *individual = new_zeros(Individual, parting->npeople);
	bool	  **absent = new_array(bool *, join->nreleases);
	bool	   *is_absent = new_array(bool, join->nreleases);
	Span	   *own = new_array(Span, nqis);
	Recovery   *recovery = NULL;

	for (uint32 p = 0; p < people->n; p++)
		if (parting->number[p] != NO_PERSON)
			individual[parting->number[p]] = people->individual[p];
	for (int32 r = 0; r < join->nreleases; r++)
		absent[r] = absent_people(&join->release[r]);
	for (uint32 p = 0; p < parting->npeople; p++)
	{
		if (row[p] != NO_ROW)
			continue;
		if (recovery == NULL)
			recovery = recovery_create(parting->sequencing, parting->first);
		for (int32 r = 0; r < join->nreleases; r++)
			is_absent[r] = absent[r][p];
		for (int q = 0; q < nqis; q++)
			own[q] = cover[q][p];
		recover_person(recovery, individual[p], is_absent, own);
		for (int q = 0; q < nqis; q++)
			cover[q][p] = own[q];
	}
	pfree(individual);
}

/* The people to protect, as boxes of the codes that they may have: the source's, if the records cover them, or all that they cover. */
static JoinTuples
tuples_of(const PeopleParting *parting, const People *people, const JoinInput *join)
{
	const Sequencing *sequencing = parting->sequencing;
	uint32		n = parting->npeople;
	int32		ncolumns = join->nqis - join->nreleases;
	Code	  **code = palloc(sizeof(Code *) * (join->nqis + 1));
	Code	  **end = palloc(sizeof(Code *) * (join->nqis + 1));
	Span	  **cover = palloc(sizeof(Span *) * (ncolumns + 1));
	RowId	   *row = rows_of_source(parting, people);

	for (int32 c = 0; c < ncolumns; c++)
		cover[c] = covered(join, c, c >= sequencing->reading->nqis ? ANYTHING :
						   sequencing->source->line[c].span[cells_whole(sequencing->reading->cells[c])]);
	recover_people(parting, people, join, row, cover);
	for (int32 c = 0; c < ncolumns; c++)
	{
		code[c] = new_zeros(Code, n);
		end[c] = new_zeros(Code, n);
		for (uint32 p = 0; p < n; p++)
		{
			Span		own = row[p] == NO_ROW ? cover[c][p] : span_of(code_of_row(sequencing->source, c, row[p]));
			Span		tuple = span_contains(cover[c][p], own) ? own : cover[c][p];

			code[c][p] = tuple.lo;
			end[c][p] = tuple.hi;
		}
		pfree(cover[c]);
	}
	for (int32 r = 0; r < join->nreleases; r++)
	{
		bool	   *absent = absent_people(&join->release[r]);

		code[ncolumns + r] = end[ncolumns + r] = new_zeros(Code, n);
		for (uint32 p = 0; p < n; p++)
			code[ncolumns + r][p] = absent[p];
		pfree(absent);
	}
	pfree(row);
	return (JoinTuples) {.ntuples = n, .code = (const Code *const *) code, .end = (const Code *const *) end};
}

/* Everybody, with the columns that say who is absent from which release. */
static JoinRelease
roster_of(const JoinInput *join)
{
	uint32		n = join->release[0].nrecords;
	const Span **cells = new_zeros(const Span *, join->ncolumns);
	uint32	   *person = new_zeros(uint32, n);

	for (uint32 p = 0; p < n; p++)
		person[p] = p;
	for (int32 r = 0; r < join->nreleases; r++)
	{
		const bool *absent = absent_people(&join->release[r]);
		Span	   *presence;

		if (join->release[r].nabsent == 0)
			continue;
		cells[join->nqis - join->nreleases + r] = presence = new_zeros(Span, n);
		for (uint32 p = 0; p < n; p++)
			presence[p] = span_of(absent[p]);
	}
	return (JoinRelease) {.nrecords = n, .cells = cells, .person = person};
}

/* Puts the roster before the releases of a part, if they do not tell by themselves how many people are in which. */
static void
add_roster(JoinInput *join)
{
	int32		n = join->nreleases;
	JoinRelease *release = palloc(sizeof(JoinRelease) * (n + 1));
	bool		is_moving = false;

	for (int32 r = 0; r < n; r++)
		is_moving |= join->release[r].nabsent > 0;
	if (n <= 2 || !is_moving)
		return;
	release[0] = roster_of(join);
	memcpy(&release[1], join->release, sizeof(JoinRelease) * n);
	join->release = release;
	join->nreleases++;
	join->together = together_of(join);
}

/* A part of the sequence, of the people who were chosen. */
static SequencePart
make_part(const PeopleParting *parting, const People *people)
{
	const Sequencing *sequencing = parting->sequencing;
	const JoinInput *all = parting->all;
	int32		n = parting->nreleases;
	JoinRelease *release = palloc(sizeof(JoinRelease) * n);
	SequencePart part = {.join = *all};

	for (int32 r = 0; r < n; r++)
	{
		CHECK_FOR_INTERRUPTS();
		release[r] = part_of_release(parting, r);
	}
	part.join.nreleases = n;
	part.join.nqis += n;
	part.join.ncolumns += n;
	part.join.release = release;
	part.join.together = all->together == NULL ? NULL : together_of(&part.join);
	if (sequencing->loaded != NULL)
	{
		/* The release that is to be found, as far as it is the part's */
		const JoinRelease *last = &all->release[all->nreleases - 1];
		uint32	   *record = chosen_records(parting, last);
		int			nqis = sequencing->loaded->frame.nqis;
		RowId	   *row = new_array(RowId, parting->npeople);

		for (uint32 i = 0; i < parting->npeople; i++)
			row[i] = is_present(last, record[i]) ? record[i] : NO_ROW;
		pfree(record);
		part.row = row;
		part.cells = new_array(Span *, nqis);
		for (int q = 0; q < nqis; q++)
			part.cells[q] = (Span *) release[n - 1].cells[sequencing->column[q]];
	}
	part.tuples = tuples_of(parting, people, &part.join);
	if (all->together != NULL)
		add_roster(&part.join);
	return part;
}

/*
 * Counts the people who have other insensitive values in one release than in another.  Of rows of equal cells and
 * values that differ in insensitive columns it is not known whose they are: any way to give them to people will do, if
 * no person contradicts himself.
 */
static uint64
count_contradicted(const People *people)
{
	const JoinInput *input = &people->input;
	bool	   *is_contradicted = new_zeros(bool, people->n);
	Code	   *value = new_zeros(Code, people->n);
	uint64		n = 0;

	for (int32 c = input->nqis; c < input->ncolumns; c++)
	{
		memset(value, 0xff, sizeof(Code) * people->n);	/* NO_CODE */
		for (int32 r = 0; r < input->nreleases; r++)
		{
			const JoinRelease *release = &input->release[r];

			for (uint32 i = 0; release->cells[c] != NULL && i < release->nrecords && is_present(release, i); i++)
			{
				Code	   *known = &value[release->person[i]];

				is_contradicted[release->person[i]] |= *known != NO_CODE && *known != release->cells[c][i].lo;
				*known = release->cells[c][i].lo;
			}
		}
	}
	for (uint32 p = 0; p < people->n; p++)
		n += is_contradicted[p];
	pfree(is_contradicted);
	pfree(value);
	return n;
}

void
make_parts(const Sequencing *sequencing, Sequence *sequence, const int64 *params, bool is_judged)
{
	bool		parted = sequential_parts_newcomers(params, is_judged);
	const People *people = people_of(sequencing->reading, sequencing->source, sequencing->reading->nreleases,
									 sequencing->is_guess, false, 0);
	const JoinInput *all = &people->input;
	const JoinRelease *last = &all->release[all->nreleases - 1];
	PeopleParting parting = {.sequencing = sequencing, .all = all, .number = new_array(uint32, people->n)};
	int32	   *came = new_zeros(int32, people->n); /* the first release that a person is in */
	bool	   *is_known = new_zeros(bool, sequencing->reading->recalled->seen.nindividuals);

	sequence->contradicted = count_contradicted(people);
	for (uint32 p = 0; p < people->n; p++)
	{
		sequence->changed += is_known[people->individual[p]];
		is_known[people->individual[p]] = true;
	}
	pfree(is_known);
	for (int32 r = all->nreleases - 1; r >= 0; r--)
		for (uint32 i = 0; i < all->release[r].nrecords && is_present(&all->release[r], i); i++)
			came[all->release[r].person[i]] = r;
	sequence->part = new_array(SequencePart, all->nreleases);
	for (int32 r = 0; r < (parted ? all->nreleases : 1); r++)
	{
		bool		any_present = false;

		parting.first = r;
		parting.nreleases = all->nreleases - r;
		parting.npeople = 0;
		for (uint32 p = 0; p < people->n; p++)
			parting.number[p] = !parted || came[p] == r ? parting.npeople++ : NO_PERSON;
		for (uint32 i = 0; i < last->nrecords && is_present(last, i); i++)
			any_present |= parting.number[last->person[i]] != NO_PERSON;
		if (any_present || (is_judged && parting.npeople > 0))
			sequence->part[sequence->nparts++] = make_part(&parting, people);
	}
}

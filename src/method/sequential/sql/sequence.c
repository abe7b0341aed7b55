/*
 * sequence.c
 *		Reading a sequence of releases, finding the next one, and judging it.
 *
 * NOTES
 *		Releases of which it is not known whose their rows are were waived by the owner
 *		(pprepub.acknowledge_history()): nothing is promised of them.
 *
 *		Releases decide by what they show which people count as others by now.  While the next one is looked for, it is
 *		taken to show everything; once it is found, people are told apart anew, by what it does show, and it is judged
 *		so.
 *
 *		Published releases are judged again by the same people and cells, as the log and the tables have them.  Of
 *		people who have left the source since then, or are not what they were, it may not be known any more what they
 *		were.
 */
#include "method/sequential/sql/sequential_sql.h"

#include <math.h>

#include "declare/parameters.h"
#include "frame/arrays.h"
#include "frame/load.h"
#include "frame/print.h"
#include "method/sequential/sequential.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "release/release.h"
#include "report/linkability/linkability.h"
#include "utils/memutils.h"

/* The releases up to one, ascending: but for those that were waived. */
static int32 *
judged_releases(const DeclaredPublication *publication, int32 last, int32 *n)
{
	const Released *released = read_released(publication);
	int32	   *numbers = palloc(sizeof(int32) * (publication->releases + 1));

	*n = 0;
	for (int32 r = 0; r < last; r++)
		if (released[r].is_identified)
			numbers[(*n)++] = released[r].number;
	return numbers;
}

/* ----------------------------------------------------------------
 * Cells
 * ----------------------------------------------------------------
 */

static Cell
cell_of(const Sequencing *sequencing, int q, Span codes)
{
	bool		isnull;
	Datum		printed = print_cell(sequencing->loaded->codings[q], codes, &isnull);

	return cells_number(sequencing->reading->cells[sequencing->column[q]], printed, isnull);
}

/* Has the draft show what it shows. */
static void
show_cells(const Sequencing *sequencing, const Classes *classes)
{
	ReadRelease *draft = drafted(sequencing);

	for (int q = 0; q < classes->nqis; q++)
		for (uint32 c = 0; c < classes->nclasses; c++)
		{
			Cell		cell = cell_of(sequencing, q, class_region(classes, c)[q]);

			for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
				draft->cell[sequencing->column[q]][classes->rows[i]] = cell;
		}
}

/* ----------------------------------------------------------------
 * Crowds: comparing, adding and subtracting the sensitive values that releases show
 *
 * Comparing the values of two releases gives those of the people who came in between, and of those who left (paper
 * 000, section 6, asks the first only).  No cell can hide that.  A person with another value than before has left with
 * the one, and come with the other.
 *
 * A group is of those who were in the same of the releases that show values, with the same value.  A release shows the
 * sum of its groups, so an observer who knows who was there when adds and subtracts releases until one group is left:
 * its values are found.  Two releases are not all that it takes; of those who were there in spring and not in summer,
 * one was there in winter.
 *
 * Which groups can be left follows from Gauss' elimination: releases are rows, groups columns.  A group alone is a sum
 * of rows where, in the end, one has no other column.  It is done modulo a prime, where nothing is rounded.
 * ----------------------------------------------------------------
 */

#define NOT_THERE	(NO_CODE - 1)
#define PRIME UINT64CONST(2147483647)

/* The value with which the log has each person in a release: [individuals] NO_CODE for NULL, or NOT_THERE. */
static Code *
values_in(const Reading *reading, const ReadRelease *release)
{
	const SeenRelease *seen = release->seen;
	uint64		nindividuals = reading->recalled->seen.nindividuals;
	Code	   *value = new_zeros(Code, nindividuals);

	for (uint64 i = 0; i < nindividuals; i++)
		value[i] = NOT_THERE;
	for (uint64 i = 0; i < seen->first[seen->nclasses]; i++)
		value[seen->individual[i]] = seen->value[i];
	return value;
}

/* Counts those who have other values than in another release, or are not there; returns how many they are. */
static uint64
count_others(const Reading *reading, const Code *value, const Code *other, uint64 *count)
{
	uint64		n = 0;

	memset(count, 0, sizeof(uint64) * reading->nvalues);
	for (uint64 i = 0; i < reading->recalled->seen.nindividuals; i++)
	{
		if (value[i] == NOT_THERE || value[i] == other[i])
			continue;
		n++;
		if (value[i] != NO_CODE)
			count[value[i]]++;
	}
	return n;
}

/* An error if those who came or left between two releases are too few, or too much alike: the last release read is a draft. */
static void
verify_crowds(const Reading *reading, const int64 *params)
{
	const ReadRelease *draft = &reading->release[reading->nreleases - 1];
	int32		r = reading->nreleases - 2;
	Code	   *before;
	Code	   *now;
	uint64	   *count;
	uint64		n;

	while (r >= 0 && reading->release[r].value == NULL)
		r--;
	if (r < 0 || draft->value == NULL)
		return;
	before = values_in(reading, &reading->release[r]);
	now = values_in(reading, draft);
	count = new_zeros(uint64, reading->nvalues);
	for (int came = 1; came >= 0; came--)
	{
		n = count_others(reading, came ? now : before, came ? before : now, count);
		if (n > 0 && !sequential_is_crowd(params, count, reading->null_value))
		{
			/* The values of those who came, or left, between two releases would be told by the difference. */
			ereport(ERROR,
					(errcode(ERRCODE_NO_DATA_FOUND),
					 came ? errmsg("people who have come to publication \"%s\" would be found by comparing releases", reading->publication->name)
					 : errmsg("people who have left publication \"%s\" would be found by comparing releases", reading->publication->name),
					 errdetail("The sensitive values of " UINT64_FORMAT " row(s) differ from release %d, and are too few, or too much alike, for what was promised.",
							   n, reading->release[r].number),
					 errhint("Publish when there are more of them, or without the sensitive column.")));
		}
	}
	pfree(before);
	pfree(now);
	pfree(count);
}

/* A person, as long as he has one value. */
typedef struct Spell
{
	const uint8 *there;			/* [releases] */
	Code		value;
} Spell;

typedef struct Groups
{
	int32		nreleases;
	Code	  **value;			/* [releases] of individuals */
	uint64		nspells;
	Spell	   *spells;			/* group by group */
	uint64		n;
	uint64	   *first;			/* [n + 1] spells */
	uint32	   *matrix;			/* [releases * n] */
} Groups;

/* Has a person come with the value that he has in a release, or was it his before? */
static bool
is_new(const Groups *groups, uint64 individual, int32 release)
{
	Code		value = groups->value[release][individual];

	for (int32 r = 0; r < release; r++)
		if (groups->value[r][individual] == value)
			return false;
	return value != NOT_THERE;
}

/* Finds for each person and each value the releases that showed the two together. */
static void
find_spells(Groups *groups, uint64 nindividuals)
{
	uint8	   *there;

	for (uint64 individual = 0; individual < nindividuals; individual++)
		for (int32 r = 0; r < groups->nreleases; r++)
			groups->nspells += is_new(groups, individual, r);
	groups->spells = new_zeros(Spell, groups->nspells);
	there = new_zeros(uint8, groups->nreleases * groups->nspells);
	groups->nspells = 0;
	for (uint64 individual = 0; individual < nindividuals; individual++)
		for (int32 r = 0; r < groups->nreleases; r++)
		{
			Code		value = groups->value[r][individual];

			if (!is_new(groups, individual, r))
				continue;
			for (int32 s = r; s < groups->nreleases; s++)
				there[s] = groups->value[s][individual] == value;
			groups->spells[groups->nspells++] = (Spell) {there, value};
			there += groups->nreleases;
		}
}

static int
compare_spells(const void *a, const void *b, void *nreleases)
{
	return memcmp(((const Spell *) a)->there, ((const Spell *) b)->there, *(const int32 *) nreleases);
}

/* Makes the column that of one row only, which becomes the given one; false where no row from there on has it. */
static bool
eliminate(const Groups *groups, int32 row, uint64 column)
{
	uint64		n = groups->n;
	uint32	   *pivot = groups->matrix + row * n;
	int32		r = row;
	uint64		factor;
	uint64		number;

	while (r < groups->nreleases && groups->matrix[r * n + column] == 0)
		r++;
	if (r == groups->nreleases)
		return false;
	CHECK_FOR_INTERRUPTS();
	/* The multiplicative inverse modulo the prime, by Fermat's little theorem. */
	number = groups->matrix[r * n + column];
	factor = 1;
	for (uint64 power = PRIME - 2; power > 0; power /= 2)
	{
		if (power % 2 == 1)
			factor = factor * number % PRIME;
		number = number * number % PRIME;
	}
	for (uint64 i = 0; i < n; i++)
	{
		uint32		swap = pivot[i];

		pivot[i] = groups->matrix[r * n + i] * factor % PRIME;
		if (r != row)
			groups->matrix[r * n + i] = swap;
	}
	for (r = 0; r < groups->nreleases; r++)
	{
		uint32	   *other = groups->matrix + r * n;

		factor = r == row ? 0 : other[column];
		for (uint64 i = 0; i < n && factor != 0; i++)
			other[i] = (other[i] + (PRIME - factor) * pivot[i]) % PRIME;
	}
	return true;
}

/* An error if adding and subtracting releases singles out people who are: the last release read is a draft. */
static void
verify_sums(const Reading *reading, const int64 *params)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "sums of releases", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	Groups		groups = {0};

	groups.value = new_array(Code *, reading->nreleases);
	for (int32 r = 0; r < reading->nreleases && reading->release[reading->nreleases - 1].value != NULL; r++)
		if (reading->release[r].value != NULL)
			groups.value[groups.nreleases++] = values_in(reading, &reading->release[r]);
	if (groups.nreleases > 2)	/* two are compared, and joined */
	{
		int32		row = 0;

		find_spells(&groups, reading->recalled->seen.nindividuals);
		/* Gathers spells of the same releases into groups, and makes the matrix of releases and groups. */
		groups.first = new_zeros(uint64, groups.nspells);
		qsort_arg(groups.spells, groups.nspells, sizeof(Spell), compare_spells, &groups.nreleases);
		for (uint64 i = 0; i < groups.nspells; i++)
			if (i == 0 || compare_spells(&groups.spells[i - 1], &groups.spells[i], &groups.nreleases) != 0)
				groups.first[groups.n++] = i;
		groups.first[groups.n] = groups.nspells;
		groups.matrix = new_zeros(uint32, groups.nreleases * groups.n);
		for (uint64 g = 0; g < groups.n; g++)
			for (int32 r = 0; r < groups.nreleases; r++)
				groups.matrix[r * groups.n + g] = groups.spells[groups.first[g]].there[r];
		for (uint64 g = 0; g < groups.n && row < groups.nreleases; g++)
			row += eliminate(&groups, row, g);
		for (int32 r = 0; r < row; r++)
		{
			uint64		ngroups = 0;
			uint64		last = 0;

			for (uint64 g = 0; g < groups.n; g++)
				if (groups.matrix[r * groups.n + g] != 0)
				{
					ngroups++;
					last = g;
				}
			if (ngroups == 1)
			{
				uint64	   *count = new_zeros(uint64, reading->nvalues);

				for (uint64 i = groups.first[last]; i < groups.first[last + 1]; i++)
					if (groups.spells[i].value != NO_CODE)
						count[groups.spells[i].value]++;
				if (!sequential_is_crowd(params, count, reading->null_value))
					ereport(ERROR,
							(errcode(ERRCODE_NO_DATA_FOUND),
							 errmsg("people of publication \"%s\" would be found by adding and subtracting releases", reading->publication->name),
							 errdetail("The sensitive values of " UINT64_FORMAT " row(s) follow from what all releases show, and are too few, or too much alike, for what was promised.",
									   groups.first[last + 1] - groups.first[last]),
							 errhint("Publish when more people have come or left, or without the sensitive column.")));
				pfree(count);
			}
		}
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

/* ----------------------------------------------------------------
 * The whole
 * ----------------------------------------------------------------
 */

/* Reads the releases before, and the source, beside the draft. */
static Sequencing *
sequencing_create(const DeclaredPublication *publication, const LoadedFrame *loaded)
{
	Sequencing *sequencing = palloc0(sizeof(Sequencing));
	const Frame *frame = &loaded->frame;
	int32		n;
	int32	   *numbers = judged_releases(publication, publication->releases, &n);

	sequencing->loaded = loaded;
	sequencing->reading = read_releases(publication, numbers, n, 0, loaded);
	sequencing->column = new_array(int, sequencing->reading->nqis);
	n = 0;
	for (int q = 0; q < sequencing->reading->nqis; q++)
		if (drafted(sequencing)->cell[q] != NULL)
			sequencing->column[n++] = q;

	/* The cells of all nodes are numbered, so that they can be lined up with those that were published */
	sequencing->tree = new_array(const Tree *, frame->nqis);
	sequencing->cell = new_array(Cell *, frame->nqis);
	for (int q = 0; q < frame->nqis; q++)
	{
		const Tree *tree = sequencing->tree[q] = steps_of(&frame->domain[q]);

		sequencing->cell[q] = new_array(Cell, tree->nnodes);
		for (uint32 i = 0; i < tree->nnodes; i++)
			sequencing->cell[q][i] = cell_of(sequencing, q, tree->nodes[i].leaves);
	}
	sequencing->source = read_source(sequencing->reading, NULL);
	sequencing->is_guess = identify_rows(sequencing->reading, sequencing->source);
	return sequencing;
}

/* An error for a draft that was found, but does not keep the promise as it came out. */
static void
refuse_judged(const Sequence *sequence, const SequenceJudgement *judgement)
{
	ereport(ERROR,
			(errcode(ERRCODE_NO_DATA_FOUND),
			 errmsg("no release of publication \"%s\" was found that keeps what its method promises", sequence->publication),
			 judgement->exposed == 0
			 ? errdetail("Joined with all before, even with all quasi-identifiers withheld, it could not be shown that %u people are linked to enough sensitive values.",
						 judgement->unknown)
			 : sequence->changed > 0
			 ? errdetail("Joined with all before, even with all quasi-identifiers withheld, it would link %u people to too few sensitive values. People have changed " UINT64_FORMAT " time(s) between releases, and the columns of a release decide whether that shows.",
						 judgement->exposed, sequence->changed)
			 : errdetail("Joined with all before, even with all quasi-identifiers withheld, it would link %u people to too few sensitive values.",
						 judgement->exposed),
			 errhint("Publish when more people have come or left, or without the sensitive column.")));
}

/* The sequence as the method takes it; an error if people's insensitive values differ, so that they cannot be joined. */
static Sequence *
sequence_of(const Sequencing *sequencing, const int64 *params, bool is_judged)
{
	const ReadRelease *draft = drafted(sequencing);
	Sequence   *sequence = palloc0(sizeof(Sequence));
	const Frame *frame;
	SequenceColumn *columns;

	sequence->publication = sequencing->reading->publication->name;
	sequence->number = draft->number;
	/* The quasi-identifiers of the draft, with the cells of their trees as the joins have them. */
	frame = &sequencing->loaded->frame;
	columns = palloc(sizeof(SequenceColumn) * (frame->nqis + 1));
	for (int q = 0; q < frame->nqis; q++)
	{
		int			column = sequencing->column[q];
		Span	   *span = new_zeros(Span, sequencing->tree[q]->nnodes);

		for (uint32 i = 0; i < sequencing->tree[q]->nnodes; i++)
			span[i] = sequencing->source->line[column].span[sequencing->cell[q][i]];
		columns[q] = (SequenceColumn) {.column = column, .tree = sequencing->tree[q], .span = span};
	}
	sequence->column = columns;
	make_parts(sequencing, sequence, params, is_judged);
	if (sequence->contradicted > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("a release of publication \"%s\" with these columns cannot be judged", sequence->publication),
				 errdetail(UINT64_FORMAT " people seem to have other insensitive values than in an earlier release.",
						   sequence->contradicted),
				 errhint("Leave out the insensitive columns that earlier releases show.")));
	return sequence;
}

/* Judges the draft by what it does show; an error if it does not keep the promise, and nothing less would. */
static bool
judge(const Sequencing *sequencing, const int64 *params, const Draft *draft, bool is_last)
{
	Sequence   *sequence;

	show_cells(sequencing, draft->classes);
	sequence = sequence_of(sequencing, params, true);
	for (int32 i = 0; i < sequence->nparts; i++)
	{
		SequenceJudgement judgement = sequential_judge_part(&sequence->part[i], params, (uint64) search_budget);

		if (judgement.exposed == 0 && judgement.unknown == 0)
			continue;
		if (is_last)
			refuse_judged(sequence, &judgement);
		return false;
	}
	return true;
}

Draft *
draft_in_sequence(const DeclaredPublication *publication, const LoadedFrame *loaded)
{
	const int64 *params = param_values(method_declaration(publication->method), publication->params);
	Sequencing *sequencing;
	Sequence   *sequence;

	if (loaded->frame.nrows == 0)
	{
		Draft	   *draft = palloc0(sizeof(Draft));

		draft->classes = palloc0(sizeof(Classes));
		draft->classes->nqis = loaded->frame.nqis;
		draft->k = 1;			/* there is nothing to be measured against it */
		return draft;
	}
	sequencing = sequencing_create(publication, loaded);
	verify_crowds(sequencing->reading, params);
	verify_sums(sequencing->reading, params);
	sequence = sequence_of(sequencing, params, false);
	for (int caution = 0;; caution++)
	{
		Draft	   *draft = sequential_draft(&loaded->frame, sequence, params, caution);

		if (draft != NULL && judge(sequencing, params, draft, caution == MOST_CAUTION))
			return draft;		/* with no more caution than it takes */
	}
}

/* ----------------------------------------------------------------
 * Published releases
 * ----------------------------------------------------------------
 */

/* Finds people whose quasi-identifiers are not what they were in some release, by the source as it shows these columns: [individuals]. */
static bool *
find_changed(const Reading *reading)
{
	uint64		nindividuals = reading->recalled->seen.nindividuals;
	bool	   *is_changed = new_zeros(bool, nindividuals);

	for (int32 r = 0; r < reading->nreleases; r++)
	{
		MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "the source", ALLOCSET_DEFAULT_SIZES);
		MemoryContext old = MemoryContextSwitchTo(work);
		const SeenRelease *seen = reading->release[r].seen;
		const LoadedFrame *present = load_finish(load_rows(reading->publication, NULL, reading->release[r].released->shown, false, work));
		uint32	   *print = new_zeros(uint32, nindividuals);

		CHECK_FOR_INTERRUPTS();
		for (uint64 row = 0; row < present->frame.nrows; row++)
		{
			Individual	individual = recalled_person(reading->recalled, present->keys[row]);

			if (individual != NO_INDIVIDUAL)
				print[individual] = present->fingerprint[row];
		}
		for (uint64 i = 0; i < seen->first[seen->nclasses]; i++)
			is_changed[seen->individual[i]] |= seen->fingerprint[i] != 0 && seen->fingerprint[i] != print[seen->individual[i]];
		MemoryContextSwitchTo(old);
		MemoryContextDelete(work);
	}
	return is_changed;
}

/* Judges releases that were read, without a draft. */
static Published *
judge_read(Reading *reading, const int64 *params)
{
	Published  *published = palloc0(sizeof(Published));
	Sequencing	sequencing = {.reading = reading};
	Sequence	sequence = {.publication = reading->publication->name};

	published->least = INFINITY;

	/* The last ones that show no person come after all that was judged; of others, the log says whose all rows are */
	while (reading->nreleases > 0 && reading->release[reading->nreleases - 1].nrows == 0 &&
		   !reading->release[reading->nreleases - 1].is_logged)
		reading->nreleases--;
	for (int32 r = 0; r < reading->nreleases; r++)
		if (!reading->release[r].is_logged && reading->release[r].nrows > 0)
			refuse_release(reading, &reading->release[r]);
	if (reading->nreleases == 0)
		return published;
	sequencing.source = read_source(reading, NULL);
	sequencing.is_guess = identify_rows(reading, sequencing.source);
	sequencing.is_changed = find_changed(reading);
	make_parts(&sequencing, &sequence, params, true);
	for (int32 i = 0; i < sequence.nparts; i++)
	{
		SequenceJudgement judgement = {.unknown = sequence.part[i].tuples.ntuples, .least = INFINITY};

		if (sequence.contradicted == 0)
			judgement = sequential_judge_part(&sequence.part[i], params, (uint64) search_budget);
		published->people += sequence.part[i].tuples.ntuples;
		published->exposed += judgement.exposed;
		published->unknown += judgement.unknown;
		published->least = Min(published->least, judgement.least);
	}
	return published;
}

Published *
judge_published(const DeclaredPublication *publication, int32 last, const int64 *params)
{
	int32		n;
	int32	   *numbers = judged_releases(publication, last, &n);

	return judge_read(read_releases(publication, numbers, n, 0, NULL), params);
}

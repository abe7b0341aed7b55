/*
 * sequence.c
 *		Reading a sequence of releases, finding the next one, and judging it.
 *
 * NOTES
 *		Releases of which it is not known whose their rows are were waived by the
 *		owner (pprepub.acknowledge_history()): nothing is promised of them.
 *
 *		Releases decide by what they show which people count as others by now.  While the next
 *		one is looked for, it is taken to show everything; once it is found, people
 *		are told apart anew, by what it does show, and it is judged so.
 *
 *		Published releases are judged again by the same people and cells, as the log
 *		and the tables have them.  Of people who have left the source since then, or are
 *		not what they were, it may not be known any more what they were.
 */
#include "method/sequential/sql/sequential_sql.h"

#include <math.h>

#include "declare/parameters.h"
#include "frame/arrays.h"
#include "frame/load.h"
#include "frame/print.h"
#include "method/sequential/specialise.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "release/search_budgets.h"
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

/* Numbers the cells of all nodes, so that they can be lined up with those that were published. */
static void
number_nodes(Sequencing *sequencing)
{
	const Frame *frame = &sequencing->loaded->frame;

	sequencing->tree = palloc(sizeof(Tree *) * (frame->nqis + 1));
	sequencing->cell = palloc(sizeof(Cell *) * (frame->nqis + 1));
	for (int q = 0; q < frame->nqis; q++)
	{
		const Tree *tree = steps_of(&frame->domain[q]);

		sequencing->tree[q] = tree;
		sequencing->cell[q] = new_zeros(Cell, tree->nnodes);
		for (uint32 i = 0; i < tree->nnodes; i++)
			sequencing->cell[q][i] = cell_of(sequencing, q, tree->nodes[i].leaves);
	}
}

/* Where the quasi-identifiers that are shown stand among all. */
static void
find_columns(Sequencing *sequencing)
{
	const ReadRelease *draft = drafted(sequencing);
	int			n = 0;

	sequencing->column = palloc(sizeof(int) * (sequencing->reading->nqis + 1));
	for (int q = 0; q < sequencing->reading->nqis; q++)
		if (draft->cell[q] != NULL)
			sequencing->column[n++] = q;
}

/* The quasi-identifiers of the draft, with the cells of their trees as the joins have them. */
static SequenceColumn *
columns_of(const Sequencing *sequencing)
{
	const Frame *frame = &sequencing->loaded->frame;
	SequenceColumn *columns = palloc(sizeof(SequenceColumn) * (frame->nqis + 1));

	for (int q = 0; q < frame->nqis; q++)
	{
		int			column = sequencing->column[q];
		Span	   *span = new_zeros(Span, sequencing->tree[q]->nnodes);

		for (uint32 i = 0; i < sequencing->tree[q]->nnodes; i++)
			span[i] = sequencing->source->line[column].span[sequencing->cell[q][i]];
		columns[q] = (SequenceColumn) {.column = column, .tree = sequencing->tree[q], .span = span};
	}
	return columns;
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
 * The whole
 * ----------------------------------------------------------------
 */

/* Reads the releases before, and the source, beside the draft. */
static Sequencing *
sequencing_create(const DeclaredPublication *publication, const LoadedFrame *loaded)
{
	Sequencing *sequencing = palloc0(sizeof(Sequencing));
	int32		n;
	int32	   *numbers = judged_releases(publication, publication->releases, &n);

	sequencing->loaded = loaded;
	sequencing->reading = read_releases_and_draft(publication, numbers, n, 0, loaded);
	find_columns(sequencing);
	number_nodes(sequencing);
	sequencing->source = read_source(sequencing->reading, NULL);
	sequencing->is_guess = identify_rows(sequencing->reading, sequencing->source);
	return sequencing;
}

/* People whose insensitive values differ from release to release cannot be joined. */
static void
refuse_contradicted(const Sequence *sequence)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("a release of publication \"%s\" with these columns cannot be judged", sequence->publication),
			 errdetail(UINT64_FORMAT " people seem to have other insensitive values than in an earlier release.",
					   sequence->contradicted),
			 errhint("Leave out the insensitive columns that earlier releases show.")));
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

/* The sequence as the method takes it; an error if it cannot be judged. */
static Sequence *
sequence_of(const Sequencing *sequencing, const int64 *params, bool is_judged)
{
	const ReadRelease *draft = drafted(sequencing);
	Sequence   *sequence = palloc0(sizeof(Sequence));

	sequence->publication = sequencing->reading->publication->name;
	sequence->number = draft->number;
	sequence->column = columns_of(sequencing);
	make_parts(sequencing, sequence, params, is_judged);
	if (sequence->contradicted > 0)
		refuse_contradicted(sequence);
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

/* Finds a release that keeps the promise, with no more caution than it takes. */
static Draft *
find_draft(const Sequencing *sequencing, const int64 *params)
{
	Sequence   *sequence = sequence_of(sequencing, params, false);
	Draft	   *draft = NULL;
	bool		holds = false;

	for (int caution = 0; !holds; caution++)
	{
		draft = sequential_draft(&sequencing->loaded->frame, sequence, params, caution);
		holds = draft != NULL && judge(sequencing, params, draft, caution == MOST_CAUTION);
	}
	return draft;
}

Draft *
draft_in_sequence(const DeclaredPublication *publication, const LoadedFrame *loaded)
{
	const int64 *params = param_values(method_declaration(publication->method), publication->params);
	Sequencing *sequencing;

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
	return find_draft(sequencing, params);
}

/* ----------------------------------------------------------------
 * Published releases
 * ----------------------------------------------------------------
 */

/*
 * Sets is_changed of people whose quasi-identifiers are not what they were in a
 * release, by the source as it shows these columns.
 */
static void
compare_prints(const Reading *reading, const ReadRelease *release, const LoadedFrame *present, bool *is_changed)
{
	const SeenRelease *seen = release->seen;
	uint32	   *print = new_zeros(uint32, reading->recalled->seen.nindividuals);

	for (uint64 row = 0; row < present->frame.nrows; row++)
	{
		Individual	individual = recalled_person(reading->recalled, present->keys[row]);

		if (individual != NO_INDIVIDUAL)
			print[individual] = present->fingerprint[row];
	}
	for (uint64 i = 0; i < seen->first[seen->nclasses]; i++)
		is_changed[seen->individual[i]] |= seen->fingerprint[i] != 0 && seen->fingerprint[i] != print[seen->individual[i]];
	pfree(print);
}

/* People who are not what they were in some release: [individuals]. */
static bool *
find_changed(const Reading *reading)
{
	const DeclaredPublication *publication = reading->publication;
	bool	   *is_changed = new_zeros(bool, reading->recalled->seen.nindividuals);

	for (int32 r = 0; r < reading->nreleases; r++)
	{
		MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "the source", ALLOCSET_DEFAULT_SIZES);
		MemoryContext old = MemoryContextSwitchTo(work);
		const ReadRelease *release = &reading->release[r];

		CHECK_FOR_INTERRUPTS();
		compare_prints(reading, release,
					   load_finish(load_rows(publication, NULL, release->released->shown, false, work)), is_changed);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(work);
	}
	return is_changed;
}

/* How many releases are left without the last ones that show no person, and so come after all that was judged. */
static int32
without_empty(const Reading *reading)
{
	int32		n = reading->nreleases;

	while (n > 0 && reading->release[n - 1].nrows == 0 && !reading->release[n - 1].is_logged)
		n--;
	return n;
}

/* The log is to say whose all rows are. */
static void
verify_logged(const Reading *reading)
{
	for (int32 r = 0; r < reading->nreleases; r++)
		if (!reading->release[r].is_logged && reading->release[r].nrows > 0)
			refuse_release(reading, &reading->release[r]);
}

/* Judges releases that were read, without a draft. */
static Published *
judge_read(Reading *reading, const int64 *params)
{
	Published  *published = palloc0(sizeof(Published));
	Sequencing	sequencing = {.reading = reading};
	Sequence	sequence = {.publication = reading->publication->name};

	published->least = INFINITY;
	reading->nreleases = without_empty(reading);
	verify_logged(reading);
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

	return judge_read(read_releases(publication, numbers, n, 0), params);
}

/*
 * sequence.c
 *		Reading a sequence of releases, finding the next one, and judging it.
 *
 * NOTES
 *		Releases of which nobody knows whose their rows are were waived by the
 *		owner (pprepub.acknowledge_history()): nothing is promised of them.
 *
 *		Who is somebody else by now depends on what releases show.  While the next
 *		one is looked for, it is taken to show everything; once it is found, people
 *		are told apart anew, by what it does show, and it is judged so.
 */
#include "serve/sequence/sequence.h"

#include "declare/parameters.h"
#include "frame/print.h"
#include "method/sequential/ladder.h"
#include "serve/linkability/identify.h"
#include "serve/linkability/people.h"
#include "serve/linkability/settings.h"
#include "serve/released.h"
#include "serve/sequence/crowds.h"
#include "serve/sequence/parts.h"
#include "utils/memutils.h"

static void *
allocate(Size width, Size n)
{
	return palloc_extended(width * (n + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* The releases before, ascending: but for those that were waived. */
static int32 *
judged_releases(const DeclaredPublication *publication, int32 *n)
{
	const Released *released = read_released(publication);
	int32	   *numbers = palloc(sizeof(int32) * (publication->releases + 1));

	*n = 0;
	for (int32 r = 0; r < publication->releases; r++)
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
		sequencing->cell[q] = allocate(sizeof(Cell), tree->nnodes);
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

static SequenceColumn *
columns_of(const Sequencing *sequencing)
{
	const Frame *frame = &sequencing->loaded->frame;
	SequenceColumn *columns = palloc(sizeof(SequenceColumn) * (frame->nqis + 1));

	for (int q = 0; q < frame->nqis; q++)
	{
		int			column = sequencing->column[q];
		Span	   *span = allocate(sizeof(Span), sequencing->tree[q]->nnodes);

		for (uint32 i = 0; i < sequencing->tree[q]->nnodes; i++)
			span[i] = sequencing->source->line[column].span[sequencing->cell[q][i]];
		columns[q] = (SequenceColumn) {.column = column,.tree = sequencing->tree[q],.span = span};
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

static Sequencing *
sequencing_create(const DeclaredPublication *publication, const LoadedFrame *loaded)
{
	Sequencing *sequencing = palloc0(sizeof(Sequencing));
	int32		n;
	int32	   *numbers = judged_releases(publication, &n);

	sequencing->loaded = loaded;
	sequencing->reading = read_releases_and_draft(publication, numbers, n, loaded);
	find_columns(sequencing);
	number_nodes(sequencing);
	sequencing->source = read_source(sequencing->reading);
	sequencing->is_guess = identify_rows(sequencing->reading, sequencing->source);
	return sequencing;
}

static Sequence *
sequence_of(const Sequencing *sequencing, bool parted)
{
	const ReadRelease *draft = drafted(sequencing);
	Sequence   *sequence = palloc0(sizeof(Sequence));

	sequence->publication = sequencing->reading->publication->name;
	sequence->number = draft->number;
	sequence->column = columns_of(sequencing);
	make_parts(sequencing, sequence, parted);
	return sequence;
}

static const char *
weaker(const char *a, const char *b)
{
	return a == NULL || strcmp(a, "fmj") == 0 ? b : a;
}

static void
judge(const Sequencing *sequencing, const Method *method, const int64 *params, bool parted, Draft *draft)
{
	Sequence   *sequence;

	show_cells(sequencing, draft->classes);
	sequence = sequence_of(sequencing, parted);
	for (int32 i = 0; i < sequence->nparts; i++)
		draft->guarantee = weaker(draft->guarantee,
								  method->judge_part(sequence, &sequence->part[i], params, (uint64) fmj_budget));
}

Draft *
draft_in_sequence(const DeclaredPublication *publication, const LoadedFrame *loaded)
{
	const Method *method = find_method(publication->method);
	const int64 *params = param_values(&method->declaration, publication->params);
	bool		parted = method->parts_newcomers(params);
	Sequencing *sequencing;
	Draft	   *draft;

	if (loaded->frame.nrows == 0)
	{
		draft = palloc0(sizeof(Draft));
		draft->classes = palloc0(sizeof(Classes));
		draft->classes->nqis = loaded->frame.nqis;
		draft->k = 1;			/* there is nothing to be measured against it */
		return draft;
	}
	sequencing = sequencing_create(publication, loaded);
	verify_crowds(sequencing->reading, method, params);
	draft = method->draft_in_sequence(&loaded->frame, sequence_of(sequencing, parted), params);
	judge(sequencing, method, params, parted, draft);
	return draft;
}

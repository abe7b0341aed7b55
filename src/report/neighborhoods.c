/*
 * neighborhoods.c
 *		neighborhoods(): which people no observer can separate, and what is known of them.
 *
 * NOTES
 *		People are known to lie in what the cells of their classes have in common.  Columns that a release left out
 *		are withheld in it, as are cells that cover everything: neither says anything.
 *
 *		All figures are those of the log.  Where neighborhoods are kept beside it, they have
 *		numbers, and audit() tells whether they are the log's.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "compat.h"
#include "declare/work.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "frame/cells.h"
#include "history/fold.h"
#include "history/past_tables.h"
#include "history/recall.h"
#include "history/rows.h"
#include "history/seen.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/varbit.h"

PG_FUNCTION_INFO_V1(pprepub_neighborhoods);

/* ---- Cells of classes ---- */

typedef struct Regions
{
	const DeclaredPublication *publication;
	int			nqis;
	const DeclaredColumn **column;	/* [nqis] borrowed */
	Cells	  **cells;			/* [nqis] */
	Cell	  **shown;			/* [releases] of each class, and of each column in it; NULL where nothing is left that
								 * tells */

	/* The release at hand */
	int32		number;
	const SeenRelease *seen;
	Cell	   *shown_now;
	uint32	   *class;			/* [nclasses + 1] a number's index; NO_CLASS once read */
	Cell	  **cell;			/* [nqis] by the numbers of the table's cells */
	uint32	   *room;			/* [nqis] */
} Regions;

static void
refuse_release(const Regions *regions)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("release %d of publication \"%s\" is not as it was published",
					regions->number, regions->publication->name),
			 errhint("Restore the publication's tables from a backup.")));
}

/* Prepares to read cells of all quasi-identifiers. */
static Regions *
regions_create(const DeclaredPublication *publication)
{
	Regions    *regions = palloc0(sizeof(Regions));

	regions->publication = publication;
	regions->column = palloc(sizeof(DeclaredColumn *) * publication->ncolumns);
	regions->cells = palloc(sizeof(Cells *) * publication->ncolumns);
	regions->cell = palloc0(sizeof(Cell *) * publication->ncolumns);
	regions->room = palloc0(sizeof(uint32) * publication->ncolumns);
	regions->shown = palloc0(sizeof(Cell *) * (publication->releases + 1));
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role == ROLE_QUASI_IDENTIFIER)
		{
			regions->column[regions->nqis] = &publication->columns[i];
			array_reserve(regions->cell[regions->nqis], regions->room[regions->nqis], 1);
			regions->cells[regions->nqis++] = cells_create(&publication->columns[i]);
		}
	return regions;
}

/* Where a class's cells are to be put; NULL if they are known. */
static Cell *
cells_of_class(Regions *regions, int64 number)
{
	uint32		c;

	if (number < 1 || number > regions->seen->nclasses)
		refuse_release(regions);
	c = regions->class[number];
	regions->class[number] = NO_CLASS;
	return c == NO_CLASS ? NULL : regions->shown_now + (Size) c * regions->nqis;
}

static void
take_cell(void *what, int q, uint32 number, Datum cell, bool isnull)
{
	Regions    *regions = what;

	array_reserve(regions->cell[q], regions->room[q], number + 1);
	regions->cell[q][number] = cells_number(regions->cells[q], cell, isnull);
}

/* All rows of a class have the same cells: one tells them. */
static void
take_row(void *what, const ReleasedRow *row)
{
	Regions    *regions = what;
	Cell	   *shown = cells_of_class(regions, row->class);

	for (int q = 0; q < regions->nqis && shown != NULL; q++)
		shown[q] = regions->cell[q][row->cell[q]];
}

/*
 * Reads the cells of a release, class by class: of its table, or of what is kept of an answer.  Classes that it lacks, as
 * under a snapshot that is too old for them, say nothing.
 */
static void
read_release(Regions *regions, const Released *released, const Answered *answered)
{
	static const RowVisitor visitor = {.wants_class = true, .cell = take_cell, .row = take_row};
	const DeclaredPublication *publication = regions->publication;
	const SeenRelease *seen = regions->seen;
	int			nqis = regions->nqis;

	if (released->is_answer ? answered == NULL : !OidIsValid(released->table) || !released->is_identified)
		return;
	regions->class = new_array(uint32, seen->nclasses);
	regions->shown_now = new_array(Cell, (Size) seen->nclasses * nqis);
	for (uint32 c = 0; c < seen->nclasses; c++)
	{
		if (seen->number[c] < 1 || seen->number[c] > seen->nclasses)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("the log of publication \"%s\" tells of class " INT64_FORMAT " of release %d",
							publication->name, seen->number[c], regions->number),
					 errhint("Restore its table from a backup.")));
		regions->class[seen->number[c]] = c;
		for (int q = 0; q < nqis; q++)
			regions->shown_now[(Size) c * nqis + q] = cells_whole(regions->cells[q]);
	}
	if (!released->is_answer)
	{
		if (get_rel_relkind(released->table) != RELKIND_RELATION || !table_stands(publication, released))
			refuse_release(regions);	/* what its access method does not know of */
		released_rows(publication, released->table, &visitor, regions);
	}
	for (uint32 i = 0; released->is_answer && i < answered->release[regions->number - 1].nclasses; i++)
	{
		const AnsweredRelease *answer = &answered->release[regions->number - 1];
		Cell	   *shown = cells_of_class(regions, answer->number[i]);

		if (shown != NULL)
			memcpy(shown, answer->cell + (Size) i * nqis, sizeof(Cell) * nqis);
	}
	pfree(regions->class);
	regions->shown[regions->number - 1] = regions->shown_now;
}

/* Reads each release once, for the classes of the log. */
static Regions *
read_regions(const DeclaredPublication *publication, const Seen *seen)
{
	Regions    *regions = regions_create(publication);
	const Released *released = read_released(publication);
	const Answered *answered = answered_read(publication, regions->cells, seen->nreleases);

	for (int32 r = 0; r < seen->nreleases; r++)
	{
		regions->number = r + 1;
		regions->seen = &seen->release[r];
		read_release(regions, &released[r], answered);
	}
	return regions;
}

/*
 * Sets region[nqis] to the cells in which people of an atom lie: what the classes that it was in have in common, back from the
 * last one to where they have nothing in common any more, since there a quasi-identifier was changed.
 */
static void
find_region(const Regions *regions, const Atoms *atoms, uint32 atom, Cell *region)
{
	int			nqis = regions->nqis;
	Cell	   *both = palloc(sizeof(Cell) * (nqis + 1));

	for (int q = 0; q < nqis; q++)
		region[q] = cells_whole(regions->cells[q]);
	for (uint32 place = atoms->last[atom]; place != NOWHERE; place = atoms->previous[place])
	{
		const Cell *shown = regions->shown[atoms->release[place]];

		if (shown == NULL)
			continue;
		for (int q = 0; q < nqis; q++)
			if ((both[q] = cells_meet(regions->cells[q], region[q], shown[(Size) atoms->class[place] * nqis + q])) == NO_CELL)
				return;
		memcpy(region, both, sizeof(Cell) * nqis);
	}
}

/* A region as JSON, cells by the names of their columns. */
static Datum
region_json(const Regions *regions, const Cell *region)
{
	const char **texts = palloc(sizeof(char *) * (regions->nqis + 1));

	for (int q = 0; q < regions->nqis; q++)
		texts[q] = cells_text(regions->cells[q], region[q]);
	return texts_by_column(regions->column, texts, regions->nqis);
}

/* ---- Values ---- */

/* A value that a class showed, and the atom that it was of. */
typedef struct Shown
{
	uint32		atom;
	Code		value;
} Shown;

/* Orders values by atom, so that equal ones become neighbors. */
static int
compare_shown(const void *a, const void *b)
{
	const Shown *x = a;
	const Shown *y = b;

	if (x->atom != y->atom)
		return x->atom < y->atom ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

/* Counts the different values that a class shows of its atoms, which are in it as a whole, and keeps the fewest. */
static void
count_values_of_class(const SeenRelease *release, uint32 c, const Atoms *atoms, const Aspect *aspect, Shown *shown, int64 *fewest)
{
	uint64		first = release->first[c];
	uint64		size = seen_size(release, c);

	for (uint64 i = 0; i < size; i++)
	{
		Code		value = release->value[first + i];

		shown[i] = (Shown) {
			atoms->atom[release->individual[first + i]], value == NO_CODE || aspect->code == NULL ? value : aspect->code[value]
		};
	}
	qsort(shown, size, sizeof(Shown), compare_shown);
	for (uint64 i = 0; i < size;)
	{
		uint32		atom = shown[i].atom;
		uint64		begin = i;
		int64		different = 0;

		for (; i < size && shown[i].atom == atom; i++)
			different += shown[i].value != NO_CODE && (i == begin || shown[i].value != shown[i - 1].value);
		fewest[atom] = Min(fewest[atom], different);
	}
}

/* The fewest different values that any class shows of each atom in any sensitive column: bands, where these are judged. */
static int64 *
count_values(const DeclaredPublication *publication, const Recalled *recalled, const Atoms *atoms)
{
	const Seen *seen = &recalled->seen;
	const Aspects *aspects = recalled_columns(publication, recalled)->aspects;
	Aspect		values_themselves = {0};
	int64	   *fewest = new_array(int64, atoms->natoms);
	Shown	   *shown;

	for (uint32 a = 0; a < atoms->natoms; a++)
		fewest[a] = atoms->size[a];
	shown = new_array(Shown, seen_largest(seen));
	for (int a = 0; a < (aspects == NULL ? 1 : aspects->n); a++)
		for (int32 r = 0; r < seen->nreleases; r++)
			for (uint32 c = 0; c < seen->release[r].nclasses; c++)
			{
				CHECK_FOR_INTERRUPTS();
				count_values_of_class(&seen->release[r], c, atoms, aspects == NULL ? &values_themselves : &aspects->aspect[a], shown, fewest);
			}
	pfree(shown);
	return fewest;
}

/* ---- Neighborhoods ---- */

typedef struct Report
{
	const OwnersWork *work;
	const Recalled *recalled;
	const Atoms *atoms;
	Regions    *regions;
	int64	   *values;			/* [atoms] */
	Cell	   *region;			/* [nqis] of the atom at hand */

	/* Of neighborhoods that are kept */
	Element		key;
} Report;

/* Puts an atom as a row. */
static void
put_neighborhood(const Report *report, int64 number, uint32 atom)
{
	const Atoms *atoms = report->atoms;
	int32		nreleases = report->recalled->seen.nreleases;
	VarBit	   *signature = palloc0(VARBITTOTALLEN(nreleases));
	bool		nulls[5] = {false};

	SET_VARSIZE(signature, VARBITTOTALLEN(nreleases));
	VARBITLEN(signature) = nreleases;
	for (uint32 place = atoms->last[atom]; place != NOWHERE; place = atoms->previous[place])
		VARBITS(signature)[atoms->release[place] / BITS_PER_BYTE] |= HIGHBIT >> (atoms->release[place] % BITS_PER_BYTE);
	find_region(report->regions, atoms, atom, report->region);
	report_row(report->work,
			   (Datum[]) {
		Int64GetDatum(number), VarBitPGetDatum(signature), region_json(report->regions, report->region),
		Int64GetDatum(atoms->size[atom]), Int64GetDatum(report->values[atom])
	},
			   nulls);
}

/* Visits a neighborhood that is kept, which is the atom of any of its members. */
static void
put_kept(void *what, TupleTableSlot *slot)
{
	const Report *report = what;
	Individual	member = NO_INDIVIDUAL;
	ElementWalk walk;

	if (!is_neighborhood(slot))
		refuse_neighborhood(report->work->publication, slot);
	for (element_walk(&walk, &report->key, DatumGetArrayTypeP(slot->tts_values[FOLD_KEYS])); member == NO_INDIVIDUAL && element_next(&walk);)
		if (!walk.isnull)
			member = recalled_person(report->recalled, walk.value);
	if (member == NO_INDIVIDUAL && !slot->tts_isnull[FOLD_INVENTED])
		for (element_walk(&walk, &element_int8, DatumGetArrayTypeP(slot->tts_values[FOLD_INVENTED])); member == NO_INDIVIDUAL && element_next(&walk);)
			if (!walk.isnull)
				member = recalled_invented(report->recalled, DatumGetInt64(walk.value));
	if (member == NO_INDIVIDUAL)
		refuse_neighborhood(report->work->publication, slot);
	put_neighborhood(report, DatumGetInt64(slot->tts_values[FOLD_NEIGHBORHOOD]), report->atoms->atom[member]);
}

/* Called as the owner, all under the active snapshot. */
static void
put_neighborhoods(const OwnersWork *work)
{
	const DeclaredPublication *publication = work->publication;
	const Recalled *recalled = recall(publication);
	const Atoms *atoms = atoms_of(&recalled->seen);
	Report		report = {
		.work = work, .recalled = recalled, .atoms = atoms, .regions = read_regions(publication, &recalled->seen),
		.values = count_values(publication, recalled, atoms), .key = element_of(publication_column(publication, ROLE_KEY)),
	};
	MemoryContext row;
	MemoryContext old;

	report.region = palloc(sizeof(Cell) * (report.regions->nqis + 1));
	if (keeps_past(publication, PAST_NEIGHBORHOODS))
	{
		if (!OidIsValid(past_table(publication, NEIGHBORHOODS_TABLE)))
			past_refuse(publication, 0);
		past_table_verify(publication, NEIGHBORHOODS_TABLE);
		read_each(past_table(publication, NEIGHBORHOODS_TABLE), put_kept, &report);
		return;
	}
	row = AllocSetContextCreate(CurrentMemoryContext, "neighborhood", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(row);
	for (uint32 a = 0; a < atoms->natoms; a++)
	{
		CHECK_FOR_INTERRUPTS();
		put_neighborhood(&report, (int64) a + 1, a);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(old);
}

Datum
pprepub_neighborhoods(PG_FUNCTION_ARGS)
{
	return report(fcinfo, put_neighborhoods);
}

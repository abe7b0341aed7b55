/*
 * remember_import.c
 *		An import in the log and in the fold.
 *
 * NOTES
 *		Without a key nobody's identity enters the history: there is nothing to
 *		remember but that there was a release.
 *
 *		Where the release does not show sensitive values, those of today are
 *		remembered, as with every release that leaves them out; of who has left
 *		none is known.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "history/fold.h"
#include "history/log.h"
#include "history/protected.h"
#include "history/remember.h"
#include "import/import.h"
#include "miscadmin.h"
#include "release/stopwatch.h"
#include "utils/memutils.h"

/* Numbers of a dictionary, for a load that will put codes in their place. */
static uint32 *
shown_values(const Import *import, const ImportColumn *column)
{
	uint32	   *number = new_array(uint32, import->nrows);

	memcpy(number, column->number, sizeof(uint32) * import->nrows);
	return number;
}

static uint32 *
present_values(const Import *import, Dictionary *dictionary)
{
	const PlainColumn *sensitive = &import->present->sensitive;
	uint32	   *number = new_array(uint32, import->nrows);

	for (uint64 row = 0; row < import->nrows; row++)
	{
		RowId		person = import->row_of_person[row];
		Code		code = person == NO_ROW ? NO_CODE : sensitive->code[person];

		number[row] = code == NO_CODE ? DICTIONARY_NULL : dictionary_number(dictionary, sensitive->values[code], false);
	}
	return number;
}

static FrameLoad *
load_import(const Import *import)
{
	const DeclaredPublication *publication = import->publication;
	const DeclaredColumn *sensitive = publication_column(publication, ROLE_SENSITIVE);
	const ImportColumn *column = import->declared[sensitive - publication->columns];
	Dictionary *values = column != NULL ? column->values : dictionary_create(sensitive->type);

	return load_given(publication, import->people, values,
					  column != NULL ? shown_values(import, column) : present_values(import, values),
					  import->context);
}

/* What the quasi-identifiers were is known of those only whom the cells still cover. */
static void
take_fingerprints(const Import *import, LoadedFrame *loaded)
{
	bool	   *is_unprinted = new_array(bool, import->nrows);

	for (uint64 row = 0; row < import->nrows; row++)
	{
		RowId		person = import->row_of_person[row];

		is_unprinted[row] = person == NO_ROW || import->has_changed[row];
		if (!is_unprinted[row])
			loaded->fingerprint[row] = import->present->fingerprint[person];
	}
	loaded->is_unprinted = is_unprinted;
}

static uint64
remember_classes(const Import *import, Remembering *remembering)
{
	const ImportClasses *classes = &import->classes;

	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		remember_mixed_class(remembering, classes->number[c], classes->rows + classes->first[c],
							 classes->first[c + 1] - classes->first[c]);
	}
	return remember_end(remembering);
}

void
remember_import(const Import *import, int32 number, Imported *imported)
{
	const DeclaredPublication *publication = import->publication;
	Stopwatch	watch = stopwatch_start();
	FrameLoad  *load;
	Fold	   *fold;
	LoadedFrame *loaded;

	if (publication->releases > 0)
		log_verify(publication);	/* a new one would hide that it is gone */
	log_ensure(publication);
	if (import->key == NULL)
	{
		past_skip(publication, number);
		return;
	}
	load = load_import(import);
	load_protected_values(publication, load);
	fold = fold_read(publication, load, false, import->context);
	loaded = load_finish(load);
	(void) fold_past(fold, loaded);
	take_fingerprints(import, loaded);
	imported->newcomers = remember_classes(import, remember_begin(fold, loaded, number, LOG_OF_TABLES));
	imported->history_seconds = stopwatch_seconds(&watch);
}

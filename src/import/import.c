/*
 * import.c
 *		import_release(): a table that was published earlier or elsewhere becomes a
 *		release, and the history knows of it.
 *
 * LOCKING
 *		As publish(): the publication and its row are locked first, then everything is read under one snapshot.
 *
 * NOTES
 *		All work runs as the publication's owner in a security-restricted context; whatever code the table or its
 *		types bring along runs so, too.  An import neither needs nor makes a history that is whole: it is how what is
 *		missing comes back.
 */
#include "postgres.h"

#include "audit/smallest.h"
#include "declare/gate.h"
#include "declare/parameters.h"
#include "declare/publication.h"
#include "declare/warn_owner.h"
#include "declare/work.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "history/recall.h"
#include "history/witness.h"
#include "import/import.h"
#include "method/method.h"
#include "miscadmin.h"
#include "release/release.h"
#include "release/past_releases.h"
#include "shared/progress.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(pprepub_import_release);

/* The codes of the source that the cells of each class cover: [classes][qis]. */
static Span *
regions_of_classes(const Import *import)
{
	const ImportClasses *classes = &import->classes;
	const DeclaredPublication *publication = import->publication;
	int			nqis = import->present->frame.nqis;
	Span	   *regions = new_array(Span, (Size) classes->nclasses * nqis);

	for (int i = 0; i < publication->ncolumns; i++)
	{
		const ImportColumn *column = import->declared[i];
		int			q;

		if (column == NULL || column->column->role != ROLE_QUASI_IDENTIFIER)
			continue;
		q = coded_column(import, column->column);
		for (uint32 c = 0; c < classes->nclasses; c++)
			regions[(Size) c * nqis + q] = column->codes[column->number[classes->rows[classes->first[c]]]];
	}
	return regions;
}

/*
 * Metrics measure cells against the rows that they were made from.  So nothing is measured unless all of these are
 * known: with a key, and everybody in the source and in the cells.
 */
static const Metrics *
measure_import(const Import *import)
{
	const DeclaredPublication *publication = import->publication;
	Principle	promised = principle_under(publication->method, publication->params);
	Metrics    *metrics;
	Classes		classes;
	RowId	   *rows;

	if (import->key == NULL || import->left > 0 || import->changed > 0)
		return NULL;
	rows = new_array(RowId, import->people->size);
	for (uint64 i = 0; i < import->people->size; i++)
		rows[i] = import->row_of_person[import->classes.people[i]];
	metrics = palloc(sizeof(Metrics));
	classes = (Classes) {
		.nclasses = import->classes.nclasses,
		.nqis = import->present->frame.nqis,
		.first = import->classes.first_person,
		.rows = rows,
		.regions = regions_of_classes(import),
	};
	*metrics = measure_release(&import->present->frame, &classes, &(ReleaseCounts) {0}, promised.k);
	return metrics;
}

/* Notes the import in the catalog of releases. */
static void
note_import(const Import *import, int32 number, const Imported *imported, const Stopwatch *watch)
{
	const DeclaredPublication *publication = import->publication;
	Request		request = session_request(NULL, NULL);
	ArrayType  *columns = column_names(publication, import->shown);
	bool		is_rewound = strcmp(rewound_words(publication), "") != 0;

	/* Only the owner knows when nothing is missing any more. */
	if (is_rewound)
		ereport(NOTICE,
				(errmsg("the history of publication \"%s\" may still lack releases", publication->name),
				 errhint("When nothing is missing, call pprepub.acknowledge_history(%s).",
						 quote_literal_cstr(publication->name))));
	note_in_catalog(publication, &(ReleaseNote) {
		.number = number,
		.kind = "imported",
		.by = request.by,
		.by_role = request.by_role,
		.table = imported->release,
		.columns = ArrayGetNItems(ARR_NDIM(columns), ARR_DIMS(columns)) == publication->ncolumns - 1 ? NULL : columns,
		.identified = import->key != NULL,
		.metrics = measure_import(import),
		.rows = import->nrows,
		.people = import->key == NULL ? import->nrows : import->people->size,
		.classes = import->classes.nclasses,
		.newcomers = imported->newcomers,
		.seconds = stopwatch_seconds(watch),
		.history_seconds = imported->history_seconds,
		.checksum_seed = imported->checksum_seed,
		.checksum = imported->checksum,
		.keeps_witness = is_rewound,
	});
}

/* Tells the owner what the last release, an import, breaks of what the publication promises. */
static void
warn_of_broken_promises(const DeclaredPublication *publication)
{
	Principle	promised = principle_under(publication->method, publication->params);
	const char *fault = promised.nterms > 0 ? "too few people, or sensitive values that tell too much" : "too few people or sensitive values";
	const MethodSql *sql = find_method_sql(publication->method);
	const Recalled *recalled;
	uint32		classes;
	uint64		people;

	if (sql->judge_import != NULL)
		sql->judge_import(publication);
	if (find_method(publication->method)->principle == NULL)
		return;
	recalled = recall(publication);
	promised = principle_bound(&promised, recalled->seen.nvalues, aspects_of_recalled(publication, recalled));
	classes = count_refused_classes(&recalled->seen, publication->releases - 1, &promised, NULL);
	people = count_refused(&recalled->seen, atoms_of(&recalled->seen), &promised);
	if (classes == 0 && people == 0)
		return;
	warn_of_weak_release(publication, &(OwnerWarning) {
		.detail = psprintf("%u of its %u classes have %s. All releases together tell " UINT64_FORMAT " of " UINT64_FORMAT " people apart in sets that have.",
						   classes, recalled->seen.release[publication->releases - 1].nclasses, fault,
						   people, recalled->people->size),
		.hint = "Published releases stay: those people will not be published again. pprepub.audit() and pprepub.attack() tell more.",
	});
}

/* Called as the owner, inside SPI, under the snapshot that all is read by. */
static void
adopt(Import *import, const char *key, int32 number, const Stopwatch *watch)
{
	MemoryContext old = MemoryContextSwitchTo(import->context);
	Imported	imported = {0};

	match_columns(import, key);
	progress_phase("read table", NO_TOTAL);
	read_table(import);
	progress_phase("read cells", import->ncolumns);
	convert_columns(import);
	read_present(import);
	make_classes(import);
	progress_phase("match people", NO_TOTAL);
	if (import->key != NULL)
	{
		find_own_rows(import);
		verify_covers(import);
	}
	else
		verify_fits(import);
	store_import(import, number, &imported);
	progress_phase("read history", NO_TOTAL);
	remember_import(import, number, &imported);
	progress_phase("measure", NO_TOTAL);
	note_import(import, number, &imported, watch);
	if (import->key != NULL)
	{
		/* Judges the history with the import in it. */
		DeclaredPublication after = *import->publication;

		after.releases = number;
		CommandCounterIncrement();
		PushActiveSnapshot(GetTransactionSnapshot());
		warn_of_broken_promises(&after);
		PopActiveSnapshot();
	}
	MemoryContextSwitchTo(old);
}

Datum
pprepub_import_release(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	const char *key = PG_ARGISNULL(2) ? NULL : pstrdup(NameStr(*PG_GETARG_NAME(2)));
	Stopwatch	watch = stopwatch_start();
	DeclaredPublication *publication;
	OwnersWork	work;
	Import		import;
	int32		number;
	Datum		row;

	PASS_TO_SHARDS(SHARDED_CHANGE);
	verify_not_null(fcinfo, 1, "the table to be imported");
	if (PG_ARGISNULL(3))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("\"%s\" must not be null", "accept_changes")));
	verify_may_change("import_release()");
	publication = publication_open(name, ExclusiveLock);
	remember_warnings(publication);
	if (method_declaration(publication->method)->own_only)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("releases cannot be imported into publication \"%s\"", publication->name),
				 errdetail("Method \"%s\" can only continue releases that it has made.", publication->method),
				 errhint("Declare a publication of another method to audit them.")));
	if (key == NULL)
		verify_one_row(publication, "an import without a key", "Name the column that tells whose the rows are: key => '…'.");
	verify_schemas(publication, publication->owner);
	verify_alone(publication);
	number = next_number(publication);

	progress_begin("import_release", publication->owner, publication->name);
	work_begin(&work, publication->owner, GetTransactionSnapshot());
	import = (Import) {
		.publication = publication, .context = work.context, .table = PG_GETARG_OID(1), .accepts_changes = PG_GETARG_BOOL(3)
	};
	adopt(&import, key, number, &watch);
	row = tell_release(publication, number, "imported");
	check_history(publication);
	work_close(&work);
	progress_end();
	PG_RETURN_DATUM(row);
}

/*
 * seen_file.c
 *		Releases whose rows are in a file, and come back one at a time.
 *
 * NOTES
 *		Rows are written while the log is read, when neither their values nor invented rows
 *		have their final numbers: they get these whenever they come back.
 */
#include "history/recall.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "storage/buffile.h"
#include "utils/memutils.h"

typedef struct RowsPlace
{
	bool		is_put;
	bool		has_counted;
	bool		has_people;		/* beside individuals? */
	bool		is_numbered;	/* finally */
	int			file;			/* where the rows begin */
	off_t		offset;
} RowsPlace;

struct SeenFile
{
	Seen	   *seen;
	BufFile    *file;			/* NULL while nothing was put */
	int			end_file;		/* the next rows come here: of what is in a buffer yet, the file's own size does not
								 * tell */
	off_t		end_offset;
	MemoryContext context;
	RowsPlace  *place;			/* [releases] */
	const Code *code;			/* of preliminary values; NULL while the log is read */
	uint64		npeople;

	/* The release that has come back, or -1, and room for its rows */
	int32		here;
	uint64		room;
	SeenRelease rows;
};

static void fetch_rows(void *what, int32 r);

SeenFile *
seen_file_create(Seen *seen)
{
	SeenFile   *file = palloc0(sizeof(SeenFile));

	file->seen = seen;
	file->context = CurrentMemoryContext;
	file->place = palloc0(sizeof(RowsPlace) * ((Size) seen->nreleases + 1));
	file->here = -1;
	seen->fetch = fetch_rows;
	seen->file = file;
	return file;
}

void
seen_file_close(SeenFile *file)
{
	if (file->file != NULL)
		BufFileClose(file->file);
	file->file = NULL;
}

bool
seen_file_has(const SeenFile *file, int32 r)
{
	return file->place[r].is_put;
}

static void
go_to(SeenFile *file, const RowsPlace *place)
{
	if (BufFileSeek(file->file, place->file, place->offset, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not seek in a temporary file")));
}

/* Makes a release borrow arrays, or no arrays. */
static void
lend_rows(SeenRelease *release, const SeenRelease *rows, const RowsPlace *place)
{
	release->individual = rows->individual;
	release->value = rows->value;
	release->fingerprint = rows->fingerprint;
	release->counterfeit = rows->counterfeit;
	release->is_counted = place->has_counted ? rows->is_counted : NULL;
	release->person = place->has_people ? rows->person : NULL;
}

/* Frees arrays that have been written, or are not needed any more. */
static void
free_rows(const SeenRelease *rows)
{
	pfree(rows->individual);
	pfree(rows->value);
	pfree(rows->fingerprint);
	pfree(rows->counterfeit);
	if (rows->is_counted != NULL)
		pfree(rows->is_counted);
	if (rows->person != NULL)
		pfree(rows->person);
}

/* Makes arrays with room for n rows. */
static SeenRelease
make_rows(uint64 n, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	SeenRelease rows = {
		.individual = new_array(Individual, n), .value = new_array(Code, n), .fingerprint = new_array(uint32, n),
		.counterfeit = new_array(bool, n), .is_counted = new_array(bool, n), .person = new_array(Individual, n)
	};

	MemoryContextSwitchTo(old);
	return rows;
}

/* ----------------------------------------------------------------
 * Writing
 * ----------------------------------------------------------------
 */

void
seen_file_put(SeenFile *file, int32 r)
{
	static const SeenRelease none = {0};
	SeenRelease *release = &file->seen->release[r];
	RowsPlace  *place = &file->place[r];
	uint64		n = release->first[release->nclasses];
	MemoryContext old = MemoryContextSwitchTo(file->context);

	if (file->file == NULL)
		file->file = BufFileCreateTemp(false);
	MemoryContextSwitchTo(old);
	*place = (RowsPlace) {
		.is_put = true, .has_counted = release->is_counted != NULL, .has_people = release->person != NULL,
		.is_numbered = file->code != NULL, .file = file->end_file, .offset = file->end_offset
	};
	go_to(file, place);
	BufFileWrite(file->file, release->individual, sizeof(Individual) * n);
	BufFileWrite(file->file, release->value, sizeof(Code) * n);
	BufFileWrite(file->file, release->fingerprint, sizeof(uint32) * n);
	BufFileWrite(file->file, release->counterfeit, sizeof(bool) * n);
	if (place->has_counted)
		BufFileWrite(file->file, release->is_counted, sizeof(bool) * n);
	if (place->has_people)
		BufFileWrite(file->file, release->person, sizeof(Individual) * n);
	BufFileTell(file->file, &file->end_file, &file->end_offset);
	free_rows(release);
	lend_rows(release, &none, place);
}

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

static void
read_bytes(SeenFile *file, void *bytes, Size n)
{
	if (BufFileRead(file->file, bytes, n) != n)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from a temporary file")));
}

/* Reads the rows of a release into arrays that have room for them. */
static void
read_rows(SeenFile *file, int32 r, SeenRelease *rows)
{
	const SeenRelease *release = &file->seen->release[r];
	const RowsPlace *place = &file->place[r];
	uint64		n = release->first[release->nclasses];

	go_to(file, place);
	read_bytes(file, rows->individual, sizeof(Individual) * n);
	read_bytes(file, rows->value, sizeof(Code) * n);
	read_bytes(file, rows->fingerprint, sizeof(uint32) * n);
	read_bytes(file, rows->counterfeit, sizeof(bool) * n);
	if (place->has_counted)
		read_bytes(file, rows->is_counted, sizeof(bool) * n);
	if (place->has_people)
		read_bytes(file, rows->person, sizeof(Individual) * n);
}

/* Rows that were put before that was possible get their final numbers when they come back. */
static void
number_rows(const SeenFile *file, int32 r)
{
	if (file->code != NULL && !file->place[r].is_numbered)
		seen_number_rows(&file->seen->release[r], file->code, file->npeople);
}

/* Takes the rows away that have come back. */
static void
take_away(SeenFile *file)
{
	static const SeenRelease none = {0};

	if (file->here >= 0)
		lend_rows(&file->seen->release[file->here], &none, &file->place[file->here]);
	file->here = -1;
}

/* Gives a release its rows, and takes those of another one away. */
static void
fetch_rows(void *what, int32 r)
{
	SeenFile   *file = what;
	const Seen *seen = file->seen;
	uint64		most = 0;

	if (!file->place[r].is_put || file->here == r)
		return;
	take_away(file);
	for (int32 i = 0; i < seen->nreleases && file->rows.individual == NULL; i++)
		if (file->place[i].is_put)
			most = Max(most, seen->release[i].first[seen->release[i].nclasses]);
	if (file->rows.individual == NULL)
		file->rows = make_rows(most, file->context);
	read_rows(file, r, &file->rows);
	lend_rows(&file->seen->release[r], &file->rows, &file->place[r]);
	number_rows(file, r);
	file->here = r;
}

void
seen_put_aside(const Seen *seen)
{
	SeenFile   *file = seen->file;
	uint64		rows = 0;

	if (file == NULL)
		return;
	take_away(file);
	if (file->rows.individual != NULL)
		free_rows(&file->rows);
	file->rows.individual = NULL;
	for (int32 r = 0; r < seen->nreleases; r++)
		if (!file->place[r].is_put)
			rows += seen->release[r].first[seen->release[r].nclasses];
	for (int32 r = 0; r < seen->nreleases && rows * SEEN_ROW_BYTES > work_mem * (uint64) 1024; r++)
		if (!file->place[r].is_put)
			seen_file_put(file, r);
}

void
seen_file_take_back(SeenFile *file, int32 r)
{
	SeenRelease *release = &file->seen->release[r];
	SeenRelease rows = make_rows(release->first[release->nclasses], file->context);

	read_rows(file, r, &rows);
	lend_rows(release, &rows, &file->place[r]);
	number_rows(file, r);
	if (release->is_counted == NULL)
		pfree(rows.is_counted);
	if (release->person == NULL)
		pfree(rows.person);
	file->place[r].is_put = false;
}

/* ----------------------------------------------------------------
 * Final numbers
 * ----------------------------------------------------------------
 */

void
seen_number_rows(SeenRelease *release, const Code *code, uint64 npeople)
{
	uint64		n = release->first[release->nclasses];

	for (uint64 i = 0; i < n; i++)
	{
		release->value[i] = code[release->value[i]];
		if (release->person == NULL && release->individual[i] >= npeople)
			release->individual[i] = npeople + (NO_INDIVIDUAL - 1 - release->individual[i]);
	}
}

void
seen_file_number(SeenFile *file, const Code *code, uint64 npeople)
{
	file->code = code;
	file->npeople = npeople;
}

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

/* The arrays of a release that have an element for each row. */
static const struct
{
	size_t		at;
	Size		width;
}			arrays[] = {
	{offsetof(SeenRelease, individual), sizeof(Individual)},
	{offsetof(SeenRelease, value), sizeof(Code)},
	{offsetof(SeenRelease, fingerprint), sizeof(uint32)},
	{offsetof(SeenRelease, counterfeit), sizeof(bool)},
	{offsetof(SeenRelease, is_counted), sizeof(bool)},
	{offsetof(SeenRelease, person), sizeof(Individual)},
};

typedef struct RowsPlace
{
	bool		is_put;
	bool		is_numbered;	/* finally */
	bool		has[lengthof(arrays)];
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

static void **
array_of(const SeenRelease *rows, int i)
{
	return (void **) ((char *) rows + arrays[i].at);
}

/* Makes a release borrow arrays, or no arrays. */
static void
lend_rows(SeenRelease *release, const SeenRelease *rows, const RowsPlace *place)
{
	for (int i = 0; i < (int) lengthof(arrays); i++)
		*array_of(release, i) = place->has[i] ? *array_of(rows, i) : NULL;
}

/* Frees arrays that have been written, or are not needed any more. */
static void
free_rows(const SeenRelease *rows)
{
	for (int i = 0; i < (int) lengthof(arrays); i++)
		if (*array_of(rows, i) != NULL)
			pfree(*array_of(rows, i));
}

/* Makes arrays with room for n rows. */
static SeenRelease
make_rows(uint64 n, MemoryContext context)
{
	SeenRelease rows = {0};

	for (int i = 0; i < (int) lengthof(arrays); i++)
		*array_of(&rows, i) = MemoryContextAllocHuge(context, arrays[i].width * (n + 1));
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
		.is_put = true, .is_numbered = file->code != NULL, .file = file->end_file, .offset = file->end_offset
	};
	go_to(file, place);
	for (int i = 0; i < (int) lengthof(arrays); i++)
	{
		place->has[i] = *array_of(release, i) != NULL;
		if (place->has[i])
			BufFileWrite(file->file, *array_of(release, i), arrays[i].width * n);
	}
	BufFileTell(file->file, &file->end_file, &file->end_offset);
	free_rows(release);
	lend_rows(release, &none, place);
}

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

/* Reads the rows of a release into arrays that have room for them. */
static void
read_rows(SeenFile *file, int32 r, SeenRelease *rows)
{
	const SeenRelease *release = &file->seen->release[r];
	const RowsPlace *place = &file->place[r];
	uint64		n = release->first[release->nclasses];

	go_to(file, place);
	for (int i = 0; i < (int) lengthof(arrays); i++)
		if (place->has[i] && BufFileRead(file->file, *array_of(rows, i), arrays[i].width * n) != arrays[i].width * n)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not read from a temporary file")));
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
	for (int i = 0; i < (int) lengthof(arrays); i++)
		if (!file->place[r].has[i])
			pfree(*array_of(&rows, i));
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

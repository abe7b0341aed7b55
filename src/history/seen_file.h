/*
 * seen_file.h
 *		Rows of releases that are kept in a temporary file instead of memory.
 */
#ifndef PPREPUB_HISTORY_SEEN_FILE_H
#define PPREPUB_HISTORY_SEEN_FILE_H

#include "postgres.h"

#include "history/seen.h"

typedef struct SeenFile SeenFile;

/* The bytes that a row takes in the arrays of a release */
#define SEEN_ROW_BYTES (sizeof(Individual) + sizeof(Code) + sizeof(uint32) + 2 * sizeof(bool))

/* A file for releases of seen, all of which are in memory, in the current context; seen_release() looks into it from now on. */
extern SeenFile *seen_file_create(Seen *seen);

/* Writes a release's rows, and frees their arrays; or makes such arrays anew, for more rows to come. */
extern void seen_file_put(SeenFile *file, int32 r);
extern void seen_file_take_back(SeenFile *file, int32 r);
extern bool seen_file_has(const SeenFile *file, int32 r);

/* Puts all rows there are in memory, if there is a file and work_mem is too small for them: they are not needed for a while. */
extern void seen_put_aside(const Seen *seen);

/* Removes the file; releases of which the rows were in it have none any more.  After an error PostgreSQL removes it. */
extern void seen_file_close(SeenFile *file);

/* All rows are put: code maps their values, and individuals from npeople on were counted down from the top. */
extern void seen_file_number(SeenFile *file, const Code *code, uint64 npeople);

/* Gives the rows of a release their final numbers. */
extern void seen_number_rows(SeenRelease *release, const Code *code, uint64 npeople);

#endif							/* PPREPUB_HISTORY_SEEN_FILE_H */

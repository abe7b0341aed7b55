/*
 * emit_rows.h
 *		The rows of a release, in the order in which they may leave.
 *
 * Classes are shuffled and numbered in that order; their rows are shuffled,
 * too.  Whoever takes them (a table, an answer in memory) is a sink.
 */
#ifndef PPREPUB_RELEASE_EMIT_ROWS_H
#define PPREPUB_RELEASE_EMIT_ROWS_H

#include "postgres.h"

#include "history/log.h"
#include "release/release.h"

/* Rows have released_columns(); what they point to lives until the next call. */
typedef struct RowSink
{
	/* Before the rows of a class: those columns are set that they have in common, all but plain values; NULL if of no interest. */
	void		(*add_class) (struct RowSink *sink, const Datum *values, const bool *nulls, uint64 nrows);

	void		(*add_row) (struct RowSink *sink, const Datum *values, const bool *nulls);

	/* Where the history keeps the classes */
	LogPart		log;

	/* Will insensitive values be known later?  If not, the checksum takes them for NULL. */
	bool		keeps_insensitive;
} RowSink;

/* As the owner, inside SPI: gives a sink all rows, and the history the same classes under the same numbers. */
extern SentRelease send_rows(const ReleaseBuild *build, int32 number, RowSink *sink);

#endif							/* PPREPUB_RELEASE_EMIT_ROWS_H */

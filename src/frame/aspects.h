/*
 * aspects.h
 *		Sensitive values, column by column: each column's own values, and the bands
 *		by which values are judged.
 *
 * Where there are several sensitive columns, a person's sensitive value is the
 * tuple of them.  Frames and the history have codes of tuples; here each column
 * gets codes of its own, by its type's equality and its collation.
 */
#ifndef PPREPUB_FRAME_ASPECTS_H
#define PPREPUB_FRAME_ASPECTS_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/frame.h"

/* The values that codes of an aspect stand for. */
typedef struct JudgedValues
{
	Oid			type;
	Oid			collation;
	Code		ncodes;
	const Datum *values;		/* [ncodes] of a band of numbers where it begins, ascending; of another one its node */
	Code		beyond;			/* the last code, if it stands for values that the taxonomy does not cover; or NO_CODE */
} JudgedValues;

/* A sensitive column, as releases show it. */
typedef struct SensitiveColumn
{
	const DeclaredColumn *column;	/* borrowed */
	Code		ncodes;
	const Datum *values;		/* [ncodes] */
	const Code *code;			/* [rows of sensitive values] NO_CODE for NULL; NULL: each value is its own */
	JudgedValues judged;		/* by the codes of the column's aspect, if there are aspects: its values, or bands */
} SensitiveColumn;

typedef struct SensitiveColumns
{
	int			n;
	SensitiveColumn *column;	/* [n] in the order of the publication's columns */
	const uint64 *first;		/* [sensitive values + 1] where each is several rows: see Aspects; or NULL */
	const Aspects *aspects;		/* an aspect for each column; NULL for a column without bands that is the only one */
	bool		has_spellings;	/* of tuples: are there equal values of a column that are written in several ways? */
} SensitiveColumns;

/* Takes n sensitive values apart, in the current context; the values are borrowed. */
extern SensitiveColumns *sensitive_columns(const DeclaredPublication *publication, const Datum *values, Code n);

/* Writes equal values of a column alike in all the tuples that were taken apart: who has which spelling tells people apart. */
extern void spell_alike(const DeclaredPublication *publication, const SensitiveColumns *columns, Datum *values, Code n);

/* A column's own code of a sensitive value, or of a row where they are several; it may be NO_CODE. */
static inline Code
code_in_column(const SensitiveColumn *column, uint64 value)
{
	return value == NO_CODE || column->code == NULL ? value : column->code[value];
}

/* Does the taxonomy that its column is judged by not cover a sensitive value? */
extern bool is_beyond(const SensitiveColumns *columns, int column, Code value);

/* Sensitive columns of the publication: their indexes among its columns. */
extern int *list_sensitive(const DeclaredPublication *publication, int *n);

/* Which of them are among the columns that are shown: [n]. */
extern bool *shown_sensitive(const DeclaredPublication *publication, const bool *shown);

/*
 * A sensitive value's columns: [n] in the order of the publication's columns; and a value of columns, one of which is not
 * NULL.  Where people have several rows, this is about one of them, and its type is another one than that of all.
 */
extern Oid	split_type(const DeclaredPublication *publication);
extern void split_value(const DeclaredPublication *publication, Datum value, bool isnull, Datum *columns, bool *nulls);
extern Datum join_value(const DeclaredPublication *publication, const Datum *columns, const bool *nulls);

/* ----------------------------------------------------------------
 * The distribution that sets of people are compared with: what it says of the values of a frame or a log
 *
 * It is a share for each value, and the release that gave it; a declared distribution was given by no release, 0.  Shares
 * never change once they are given, and other values get theirs later.
 * ----------------------------------------------------------------
 */

typedef struct Shares
{
	uint32		n;
	const Datum *values;		/* [n] of the sensitive column, or tuples of several; none twice */
	const double *share;		/* [n] more than 0 */
	const int32 *since;			/* [n] */
} Shares;

/* Have the values of a sensitive column, or its bands, an order that means something: of numbers, dates or times? */
extern bool has_places(const DeclaredColumn *column);

/*
 * The aspects of n sensitive values, with their shares, 0 for those without, and with the places of what they are judged
 * by; in the current context.  What is passed is borrowed.
 */
extern const Aspects *aspects_with_shares(const SensitiveColumns *columns, const double *share, const int32 *since, Code n);

#endif							/* PPREPUB_FRAME_ASPECTS_H */

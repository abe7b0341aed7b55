/*
 * kinds.h
 *		The kinds of generalisation as they are declared: which types bear them
 *		and which types they print.  How they code values is frame/'s affair.
 */
#ifndef PPREPUB_DECLARE_KINDS_H
#define PPREPUB_DECLARE_KINDS_H

#include "postgres.h"

typedef enum Kind
{
	KIND_RANGE,
	KIND_PREFIX,
	KIND_TAXONOMY,
	KIND_SUPPRESS
} Kind;

/*
 * Reads "range", "prefix", "suppress" or "taxonomy NAME"; for a taxonomy, name
 * is set to its name.  Anything else is an error that lists the kinds.
 */
extern Kind parse_kind(const char *words, const char *column, char **taxonomy);

/* A kind's words again. */
extern char *kind_words(Kind kind, const char *taxonomy);

/* Refuses a kind that values of the type (domains looked through) cannot bear. */
extern void verify_kind(Kind kind, const char *column, Oid type);

/* Numbers: what a ladder of intervals can be laid over. */
extern bool is_number(Oid type);

/* The type in which cells of the kind over the type are printed. */
extern Oid	printed_type(Kind kind, Oid type);

#endif							/* PPREPUB_DECLARE_KINDS_H */

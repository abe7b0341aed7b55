/*
 * sensitive_tuple.h
 *		Several sensitive columns: their list, and the tuple that they make up.
 *
 * A person's sensitive value is then one value of a composite type,
 * TARGET_private.NAME_sensitive, which the pinned view computes in its first
 * hidden column: NULL where all of them are NULL.  The past remembers tuples as
 * it does values of a single column, and releases show the columns again.
 */
#ifndef PPREPUB_DECLARE_SENSITIVE_TUPLE_H
#define PPREPUB_DECLARE_SENSITIVE_TUPLE_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "declare/publication.h"

/* Reads a name, or a list in braces: "disease", "{disease, income}"; a list of none, of NULLs, or of one twice is an error. */
extern char **parse_sensitive(const char *words, int *n);

/* Adds the tuple behind the declared columns of a new publication; its name is none of the source's.  There must be room. */
extern void hide_tuple(DeclaredPublication *publication, TupleDesc source);

/* Is it the tuple of several columns? */
extern bool is_tuple(const DeclaredPublication *publication, const DeclaredColumn *column);

/* Creates the tuple's type, and sets it, if the publication has a tuple.  As the owner, inside SPI. */
extern void create_tuple_type(DeclaredPublication *publication);

/* Notes the type among what was made for the publication. */
extern void note_tuple_type(const DeclaredPublication *publication);

/* The tuple as a statement computes it from columns of these names: [columns of the publication]. */
extern char *tuple_sql(const DeclaredPublication *publication, const char *const *names);

#endif							/* PPREPUB_DECLARE_SENSITIVE_TUPLE_H */

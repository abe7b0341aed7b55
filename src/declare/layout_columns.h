/*
 * layout_columns.h
 *		The column by which people leave, as a parameter names it: {"leaves": "discharged"}.
 *
 * It may be a quasi-identifier or an insensitive column, or have no role at all.
 * Then it is hidden: a column of the pinned view behind those that are declared,
 * which is read with each release, and neither shown, asked about nor remembered.
 * The parameter holds its name in the pinned view, which stays when the source's
 * column is renamed.
 *
 * The key, which tells everybody apart, and the sensitive column, of which a
 * class must not tell more than that it has l values, are refused.
 */
#ifndef PPREPUB_DECLARE_LAYOUT_COLUMNS_H
#define PPREPUB_DECLARE_LAYOUT_COLUMNS_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "declare/publication.h"

/* Its index among the publication's columns, or -1. */
extern int	leaving_column(const DeclaredPublication *publication);

/*
 * In a new publication: verifies the columns that its parameters name, and adds
 * to its columns those that have no role.  There must be room for each of the source's.
 */
extern void declare_layout_columns(DeclaredPublication *publication, TupleDesc source);

/*
 * Likewise for new parameters of one that there is: its pinned view and the
 * catalog get what is new, or it is refused (by a preview).  Returns the parameters with names of the pinned view.
 */
extern Jsonb *resolve_layout_columns(DeclaredPublication *publication, Jsonb *given, bool may_add);

/* Raises an error about a name that no column of the source has. */
extern void refuse_unknown_column(const DeclaredPublication *publication, const char *name, TupleDesc source);

#endif							/* PPREPUB_DECLARE_LAYOUT_COLUMNS_H */

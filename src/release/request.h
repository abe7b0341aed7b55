/*
 * request.h
 *		What a release is asked to be about.
 */
#ifndef PPREPUB_RELEASE_REQUEST_H
#define PPREPUB_RELEASE_REQUEST_H

#include "postgres.h"

#include "declare/publication.h"
#include "utils/array.h"

typedef struct Request
{
	const char *cohort;			/* as it was written, or NULL for everybody */
	ArrayType  *columns;		/* their names, or NULL for all */
	const char *by;				/* the role that asks: the user of its session */
	const char *by_role;		/* as which it asks: the role that it has set, or the same */
} Request;

/* A request of this session. */
extern Request session_request(const char *cohort, ArrayType *columns);

/* A request as a publication takes it. */
typedef struct Scope
{
	const Request *request;		/* borrowed */
	const bool *shown;			/* [columns] */
	const char *condition;		/* on the pinned view, or NULL */
	bool		is_lenient;		/* for an answer, which leaves out the rows that publish() complains of */
	struct Reference *reference;	/* the distribution that it is compared with, read before; or NULL */
} Scope;

/*
 * Called as the owner: reads nothing of the source, so an error about a request tells
 * nothing of it.
 */
extern Scope scope_of(const DeclaredPublication *publication, const Request *request, bool is_lenient);

/* All columns that may be shown, in words. */
extern char *releasable_names(const DeclaredPublication *publication);

/*
 * Resolves names of columns: a flag for each column of the publication. NULL stands
 * for all but the key, which never leaves. An error for names that are not declared
 * columns, or where the method publishes all or nothing.
 */
extern const bool *shown_columns(const DeclaredPublication *publication, ArrayType *names);

/* Like shown_columns(), of a release that was made, which may show none of them. */
extern const bool *noted_columns(const DeclaredPublication *publication, ArrayType *names);

/* The other way round: the names of the columns with a flag, or of all, as requests have them; without the key's. */
extern ArrayType *column_names(const DeclaredPublication *publication, const bool *shown);

#endif							/* PPREPUB_RELEASE_REQUEST_H */

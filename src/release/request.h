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
} Request;

/* The same as a publication takes it. */
typedef struct Scope
{
	const Request *request;		/* borrowed */
	const bool *shown;			/* [columns] */
	const char *condition;		/* on the pinned view, or NULL */
	bool		is_lenient;		/* for an answer, which leaves out the rows that publish() complains of */
} Scope;

/*
 * As the owner: reads nothing of the source, so whatever is wrong with a
 * request is an error that tells nothing of it.
 */
extern Scope scope_of(const DeclaredPublication *publication, const Request *request, bool is_lenient);

#endif							/* PPREPUB_RELEASE_REQUEST_H */

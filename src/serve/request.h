/*
 * request.h
 *		What a release is asked to be about.
 */
#ifndef PPREPUB_SERVE_REQUEST_H
#define PPREPUB_SERVE_REQUEST_H

#include "postgres.h"

#include "utils/array.h"

typedef struct Request
{
	const char *cohort;			/* as it was written, or NULL for everybody */
	ArrayType  *columns;		/* their names, or NULL for all */
	const char *by;				/* the role that asks */
} Request;

#endif							/* PPREPUB_SERVE_REQUEST_H */

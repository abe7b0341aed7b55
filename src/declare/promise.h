/*
 * promise.h
 *		Those parameters of a publication that analysts may know: its promise to the
 *		people in it, and how it is kept.
 *
 * They are the owner's choice, and tell nothing of the data.  Parameters that name tables or hidden columns, and
 * seeds, are not among them.
 */
#ifndef PPREPUB_DECLARE_PROMISE_H
#define PPREPUB_DECLARE_PROMISE_H

#include "postgres.h"

#include "declare/publication.h"

/* A number among the parameters, as numeric; *isnull where there is none. */
extern Datum declared_number(const DeclaredPublication *publication, const char *name, bool *isnull);

/* The promise besides k and l, as "frequency = 3, t = 0.2"; NULL where that is nothing. */
extern char *further_principle(const DeclaredPublication *publication);

/* All of it: "k = 10, l = 3, frequency = 3". */
extern char *whole_principle(const DeclaredPublication *publication);

#endif							/* PPREPUB_DECLARE_PROMISE_H */

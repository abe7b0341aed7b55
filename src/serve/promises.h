/*
 * promises.h
 *		What methods promise over the whole history, other than sizes and values
 *		of each set that releases reveal: who judges it.
 */
#ifndef PPREPUB_SERVE_PROMISES_H
#define PPREPUB_SERVE_PROMISES_H

#include "postgres.h"

#include "method/method.h"
#include "serve/checks.h"

struct Making;

typedef struct Promise
{
	const char *method;

	/* The last check of a draft, by code of audit/: an internal error if it does not keep the promise. */
	void		(*judge) (const DeclaredPublication *publication, const Frame *frame,
						  const Past *past, const Draft *draft);

	/* What audit() looks at: adds checks. */
	void		(*check) (Audit *audit);

	/* What the owner is warned of, instead of many rows being withheld; NULL for nothing else. */
	void		(*warn) (const struct Making *making);
} Promise;

/* The publication's, or NULL where its method's principle says all. */
extern const Promise *find_promise(const DeclaredPublication *publication);

#endif							/* PPREPUB_SERVE_PROMISES_H */

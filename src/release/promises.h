/*
 * promises.h
 *		What methods promise over the whole history, other than sizes and values
 *		of each set that releases reveal: who judges it.
 */
#ifndef PPREPUB_RELEASE_PROMISES_H
#define PPREPUB_RELEASE_PROMISES_H

#include "postgres.h"

#include "check/checks.h"
#include "method/method.h"

struct Making;

typedef struct Promise
{
	const char *method;

	/* The last check of a draft, by code of audit/: an internal error if it does not keep the promise; NULL where drafting does it. */
	void		(*judge) (const DeclaredPublication *publication, const Frame *frame,
						  const Past *past, const Draft *draft);

	/* What audit() looks at: adds checks. */
	void		(*check) (Audit *audit);

	/* What the owner is warned of, instead of many rows being withheld; NULL for nothing else. */
	void		(*warn) (const struct Making *making);

	/*
	 * The last release was made elsewhere, and the log says whose its rows are:
	 * an error if nothing could follow it, a warning of what it breaks.  NULL
	 * where there is nothing to say.
	 */
	void		(*judge_import) (const DeclaredPublication *publication);

	/* What the owner is warned of where new parameters promise more to people who were published; NULL for nothing else. */
	void		(*strengthen) (const DeclaredPublication *publication, Jsonb *params);
} Promise;

/* The publication's, or NULL where its method's principle says all. */
extern const Promise *find_promise(const DeclaredPublication *publication);

#endif							/* PPREPUB_RELEASE_PROMISES_H */

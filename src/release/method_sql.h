/*
 * method_sql.h
 *		The half of a method that reads the database.
 *
 * Method (method/method.h) decides what a release shows, and knows nothing of
 * tables.  This half reads the tables that the method's parameters name, checks what
 * the method promises over the whole history, beyond sizes and values of each set
 * that releases reveal, and words what it tells the owner.  It is filled in by
 * method/NAME/sql/; release/, import/ and check/ know no method by name.
 */
#ifndef PPREPUB_RELEASE_METHOD_SQL_H
#define PPREPUB_RELEASE_METHOD_SQL_H

#include "postgres.h"

#include "frame/load.h"
#include "method/method.h"
#include "utils/jsonb.h"

struct Audit;
struct ReleaseBuild;

/* Each member may be NULL: there is nothing to be done then. */
typedef struct MethodSql
{
	/* ---- Tables that parameters name ---- */

	/* Called for each new copy of such a table; may raise an error: see declare/publication.h. */
	void		(*check_table) (const DeclaredPublication *publication, const char *param,
								Oid old_copy, Oid new_copy, bool accept_weakening);

	/* Adds what such tables say of rows to a load, as the owner, inside SPI: before the past is read. */
	void		(*load_tables) (const DeclaredPublication *publication, FrameLoad *load);

	/*
	 * Updates (Past.updates), as the owner, inside SPI: read before the load is finished, so that values of such
	 * tables have codes in the frame, and then put in these codes. The latter raises an error if rows have values that
	 * they cannot have. The method alone knows what is read.
	 */
	void	   *(*read_updates) (const DeclaredPublication *publication, FrameLoad *load);
	void		(*apply_updates) (const DeclaredPublication *publication, const void *updates,
								  const LoadedFrame *loaded, Past *past);

	/* ---- Drafts ---- */

	/*
	 * Drafts a release by the tables of those before it, as the owner, inside SPI: instead of Method.draft, which is
	 * NULL then.  Where nothing may be published that is an error, for the owner.
	 */
	Draft	   *(*draft) (const DeclaredPublication *publication, const LoadedFrame *loaded);

	/* An error, for the owner, if the method has refused its draft: see Draft.refusal. */
	void		(*verify_not_refused) (const struct ReleaseBuild *build);

	/* The last check of a draft, by code of audit/: an internal error if it does not keep the promise. */
	void		(*judge) (const DeclaredPublication *publication, const Frame *frame,
						  const Past *past, const Draft *draft);

	/* Warns the owner of what a release withholds, instead of a warning of many rows. */
	void		(*warn) (const struct ReleaseBuild *build);

	/* ---- Published releases ---- */

	/* Adds the checks of audit(): see check/checks.h. */
	void		(*check) (struct Audit *audit);

	/*
	 * The last release was made elsewhere, and the log says whose its rows are: an error if nothing could follow it, a
	 * warning of what it breaks.
	 */
	void		(*judge_import) (const DeclaredPublication *publication);

	/* Warns the owner where new parameters promise more to people who were published than these were given. */
	void		(*strengthen) (const DeclaredPublication *publication, Jsonb *params);
} MethodSql;

#define METHOD(name)
#define METHOD_WITH_SQL(name) extern const MethodSql name##_sql;
#include "method/list.h"

/* Never NULL: all members are, for a method that has no such half. */
extern const MethodSql *find_method_sql(const char *name);

#endif							/* PPREPUB_RELEASE_METHOD_SQL_H */

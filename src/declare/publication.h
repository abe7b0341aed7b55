/*
 * publication.h
 *		What an owner declared: a source, its key, a method and its parameters.
 */
#ifndef PPREPUB_DECLARE_PUBLICATION_H
#define PPREPUB_DECLARE_PUBLICATION_H

#include "postgres.h"

#include "declare/catalog.h"
#include "declare/kinds.h"
#include "storage/lockdefs.h"
#include "utils/jsonb.h"

typedef enum ColumnRole
{
	ROLE_KEY,
	ROLE_QUASI_IDENTIFIER,
	ROLE_SENSITIVE,
	ROLE_INSENSITIVE
} ColumnRole;

/* A column of the pinned view, in the view's order. */
typedef struct DeclaredColumn
{
	char	   *name;
	ColumnRole	role;

	/* Quasi-identifiers */
	Kind		kind;
	char	   *taxonomy;		/* its name when declared, or NULL */
	int32		tree;			/* the publication's own copy, or 0 */

	/* From the pinned view */
	Oid			type;			/* domains looked through */
	int32		typmod;
	Oid			collation;
} DeclaredColumn;

typedef struct DeclaredPublication
{
	int32		id;
	char	   *name;
	Oid			owner;
	Oid			source;
	Oid			pinned;			/* the owner-only view of the source */
	char	   *method;
	Jsonb	   *params;
	char	   *target;			/* schema of what analysts see */
	char	   *private;		/* schema of what nobody else sees */
	int32	   *beside;			/* publications judged apart from this one */
	int			nbeside;
	int32		releases;		/* number of the last release */
	int64		remembered;		/* people and invented rows that they were about */
	int			ncolumns;
	DeclaredColumn *columns;
	struct Noted *noted;		/* relations that were made for it, each part that occurs once */
} DeclaredPublication;

/*
 * Finds a publication for a caller who has its owner's rights, and locks it
 * until the end of the transaction: with AccessShareLock for looking (which a
 * standby can, too), ExclusiveLock for publishing and for changing what was
 * declared, AccessExclusiveLock for dropping.  The lock is on the
 * publication, not on any table, and no SQL statement can take it otherwise.
 *
 * An error when the source has another owner by now, or is gone: everything
 * fails closed, but alter_publication() by the new owner, and drop_publication().
 */
extern DeclaredPublication *publication_open(const char *name, LOCKMODE lock);
extern DeclaredPublication *publication_open_number(int32 number, LOCKMODE lock);
extern DeclaredPublication *publication_open_for_new_owner(const char *name, LOCKMODE lock);
extern DeclaredPublication *publication_open_to_drop(const char *name);

/*
 * As much of a publication as it takes to ask about it, for a caller who has its
 * owner's rights.  Nothing is locked, so it may change at any time.
 */
typedef struct FoundPublication
{
	int32		id;
	Oid			owner;
	char	   *method;
	Jsonb	   *params;
} FoundPublication;

extern FoundPublication publication_find(const char *name);

/*
 * What a pinned view reads, or InvalidOid where either is no more: the same as
 * the view catalog_source says, which looks at all publications at once.
 */
extern Oid	source_of_pinned(Oid pinned);

/* The lock alone, for who must hold that before the transaction's first snapshot. */
extern void lock_publication_number(int32 publication, LOCKMODE lock);
extern void unlock_publication_number(int32 publication, LOCKMODE lock);

/* Under an old snapshot, a release that it does not see is a serialization failure. */
extern void verify_releases_are_seen(const DeclaredPublication *publication);

/*
 * How many of the releases the active snapshot sees.  Who looks at the history
 * without keeping publishers out sees as much of it, and of everything else.
 */
extern int32 releases_seen(const DeclaredPublication *publication);

/* The column with this role; for roles that occur once. */
extern const DeclaredColumn *publication_column(const DeclaredPublication *publication, ColumnRole role);

/* The statement's word for one of the publication's relations: schema and name, quoted. */
extern char *private_words(const DeclaredPublication *publication, const char *suffix);
extern char *target_words(const DeclaredPublication *publication, const char *suffix);

/*
 * Keeps in the catalog that a relation was made for a publication, so that it
 * is protected and dropped with it.  Parts: "source" (the pinned view),
 * "log", "log of answers", "fold", "paths", "answers" and "counterfeits"
 * (history), "release", "view", "counterfeits_view", and, for each table that
 * a parameter names, TABLE_PART with the parameter's name.
 */
#define TABLE_PART "table "

extern void note_relation(const DeclaredPublication *publication, Oid relation, const char *part);

/* An error when something stands where a relation of the publication is to be made. */
extern void verify_name_is_not_taken(const DeclaredPublication *publication,
									 const char *schema, const char *name);

/* The relation noted as a part that occurs once, or InvalidOid. */
extern Oid	noted_relation(const DeclaredPublication *publication, const char *part);

/*
 * The type of a column as DDL writes it, with its collation; domains looked
 * through.  To be called with the search path that act_as() sets.
 */
extern char *column_type_words(const DeclaredColumn *column);

/* The same of the cells of a quasi-identifier. */
extern char *printed_type_words(const DeclaredColumn *column);

/* The same for the type in which releases show it. */
extern char *released_type_words(const DeclaredColumn *column);

/* An object's name of a function's argument, or an error that it must not be null. */
extern char *text_argument(FunctionCallInfo fcinfo, int n, const char *what);

#endif							/* PPREPUB_DECLARE_PUBLICATION_H */

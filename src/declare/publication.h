/*
 * publication.h
 *		What an owner declared: a source, its key, a method and its parameters; and what is made for it.
 */
#ifndef PPREPUB_DECLARE_PUBLICATION_H
#define PPREPUB_DECLARE_PUBLICATION_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "declare/catalog.h"
#include "storage/lockdefs.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

/* ---- Kinds of generalisation, as they are declared; frame/ codes their values ---- */

typedef enum Kind
{
	KIND_RANGE,
	KIND_PREFIX,
	KIND_TAXONOMY,
	KIND_SUPPRESS
} Kind;

/* Can a ladder of intervals be laid over the type? */
extern bool is_number(Oid type);

/* Is it a type of texts, so that prefixes and nodes of taxonomies are values of it? */
extern bool is_string(Oid type);

/* The type in which cells of the kind over the type are printed. */
extern Oid	printed_type(Kind kind, Oid type);

#define KINDS_HINT "Kinds are \"range\", \"range STEP\", \"prefix\", \"taxonomy NAME\" and \"suppress\"."

/* ---- Publications ---- */

typedef enum ColumnRole
{
	ROLE_KEY,
	ROLE_QUASI_IDENTIFIER,
	ROLE_SENSITIVE,				/* what the past remembers of a person: the sensitive column, or a tuple of several, or
								 * several rows, which are hidden */
	ROLE_SENSITIVE_PART,		/* one of several sensitive columns, or of several rows */
	ROLE_INSENSITIVE,
	ROLE_LAYOUT					/* hidden: see parameters.h */
} ColumnRole;

/* A column of the pinned view, in the view's order. */
typedef struct DeclaredColumn
{
	char	   *name;
	ColumnRole	role;

	/*
	 * Quasi-identifiers, and the bands of sensitive columns: KIND_RANGE with a step, or KIND_TAXONOMY with a ladder or
	 * a level
	 */
	Kind		kind;
	char	   *taxonomy;		/* its name when declared, or NULL */
	int32		tree;			/* the publication's own copy, or 0 */
	int			level;			/* of bands that are nodes of a taxonomy, counted from its root; or 0 */
	char	   *step;			/* of a range that has one, or NULL */
	int32		came;			/* the first release after it was added, those before withhold it; 0: declared at first */

	/* From the pinned view */
	Oid			type;			/* domains looked through */
	int32		typmod;
	Oid			collation;
} DeclaredColumn;

/* Is it a sensitive column that releases show? */
static inline bool
is_sensitive(const DeclaredColumn *column)
{
	return column->role == ROLE_SENSITIVE || column->role == ROLE_SENSITIVE_PART;
}

/* Is a sensitive column judged by bands? */
static inline bool
has_bands(const DeclaredColumn *column)
{
	return is_sensitive(column) && (column->taxonomy != NULL || column->step != NULL);
}

/*
 * Reads "range", "range STEP", "prefix", "suppress" or "taxonomy NAME", and sets the column's kind, step and taxonomy.
 * Anything else is an error that lists the kinds.
 */
extern void parse_kind(const char *text, DeclaredColumn *column);

/* A column's kind as parse_kind() reads it, with the level of bands behind. */
extern char *kind_text(const DeclaredColumn *column);

/* Says, behind "a view that ", which cast gives values that can be generalized, or compared. */
extern const char *cast_words(const DeclaredColumn *column);

/* Refuses a kind that values of the column's type cannot bear. */
extern void verify_kind(const DeclaredColumn *column);

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
	char	   *private;		/* schema of what only the owner sees */
	int32		max_rows;		/* that a release shows of a person; 1: the key tells rows apart */
	int64		sample_seed;	/* which rows of a person with more are shown; nobody may be told */
	int32	   *beside;			/* publications judged apart from this one */
	int			nbeside;
	Oid		   *lookups;		/* of a declaration: tables without people, which others may read, too */
	int			nlookups;
	char	   *shard;			/* the condition of its rows, as it was declared, or NULL: shard.h */
	bool		shard_of_key;	/* does it look at the key alone? */
	bool		is_coordinated; /* is it published together with other shards? */
	int32		releases;		/* number of the last release */
	int64		remembered;		/* people and invented rows in the releases */
	int			ncolumns;
	int			nhidden;
	DeclaredColumn *columns;	/* [ncolumns], then [nhidden] that are read and never shown as they are */
	List	   *noted;			/* relations that were made for it, of parts that occur once: see noted_relation() */
	struct OwnerWarnings *warnings; /* raised while a release is made, or NULL (declare/warn_owner.h) */
} DeclaredPublication;

#define MOST_ROWS_EACH	1000	/* that may be declared */

/* May a person have several rows? */
static inline bool
has_several_rows(const DeclaredPublication *publication)
{
	return publication->max_rows > 1;
}

/*
 * Finds a publication for a caller who has its owner's rights, and locks it until the end of the transaction: with
 * AccessShareLock for looking (which a standby can, too), ExclusiveLock for publishing, AccessExclusiveLock for dropping
 * it and for changing what was declared.  The lock is on the publication, not on any table, and no SQL statement can take
 * it otherwise.
 *
 * An error when the source has another owner by now, or is gone: everything fails closed, but alter_publication() by the
 * new owner, and drop_publication().
 */
extern DeclaredPublication *publication_open(const char *name, LOCKMODE lock);
extern DeclaredPublication *publication_open_number(int32 number, LOCKMODE lock);
extern DeclaredPublication *publication_open_for_new_owner(const char *name, LOCKMODE lock);
extern DeclaredPublication *publication_open_to_drop(const char *name);

/*
 * Like publication_open() under AccessShareLock, but the publication is as the active snapshot sees it, in the number of
 * its releases and all else: publishing goes on, and who reads the history under that snapshot reads of one moment.  An
 * auditor's rights may be enough.
 */
extern DeclaredPublication *publication_look(const char *name, bool for_auditor);

/* An error, with a hint of what to do instead, if a person may have several rows: what was asked for is about one. */
extern void verify_one_row(const DeclaredPublication *publication, const char *asked, const char *hint);

/* An error if the publication has no release of that number. */
extern void verify_release_number(const DeclaredPublication *publication, int32 number);

/*
 * The part of a publication that is needed to ask about it, for a caller who has its owner's rights.  Nothing is locked,
 * so it may change at any time.
 */
typedef struct FoundPublication
{
	int32		id;
	Oid			owner;
	char	   *method;
	Jsonb	   *params;
} FoundPublication;

extern FoundPublication publication_find(const char *name);

/* Has the current user been granted to audit the publication? */
extern bool may_audit(int32 publication);

/*
 * The publication that a relation is noted for as the foreign table of live answers, as it was declared; NULL for any
 * other relation.  Nothing is locked, and no rights are asked for: the table has rights of its own.  Whether it can be
 * published is for those to find out who do so: plans are made for anybody.
 */
extern DeclaredPublication *publication_of_live(Oid relation);

/*
 * The relation that a pinned view reads, or InvalidOid where either is gone.  It agrees with the view catalog_source,
 * which looks at all publications at once.
 */
extern Oid	source_of_pinned(Oid pinned);

/* The lock alone, for a caller that must hold it before the transaction's first snapshot. */
extern void lock_publication_number(int32 publication, LOCKMODE lock);

/* Raises a serialization failure if there are releases that an old snapshot does not see. */
extern void verify_releases_are_seen(const DeclaredPublication *publication);

/* The column with this role, hidden or not; for roles that occur once. */
extern const DeclaredColumn *publication_column(const DeclaredPublication *publication, ColumnRole role);

/* The index of a column by its name, or -1; a name that somebody asks about finds no hidden one. */
extern int	column_index(const DeclaredPublication *publication, const char *name, bool hidden_too);

/* A name for a column beside those of the publication: underscores are appended until none of these has it. */
extern const char *free_column_name(const DeclaredPublication *publication, const char *name);

/* The name of one of the publication's relations as a statement writes it: schema and name, quoted. */
extern char *quoted_private(const DeclaredPublication *publication, const char *suffix);
extern char *quoted_target(const DeclaredPublication *publication, const char *suffix);

/* The relation in schema TARGET, or TARGET_private, that has such a name, and the function; InvalidOid if there is none. */
extern Oid	relation_in_target(const DeclaredPublication *publication, const char *suffix);
extern Oid	relation_in_private(const DeclaredPublication *publication, const char *suffix);
extern Oid	function_in_target(const DeclaredPublication *publication, const char *suffix, const Oid *arguments, int narguments);

/*
 * Makes a view, table, foreign table or type of the publication's, which no other role may use yet, and returns its relation.
 * As the owner, inside SPI.
 */
extern Oid	make_relation(const DeclaredPublication *publication, const char *schema, const char *suffix,
						  const char *kind, const char *definition);

/*
 * Records in the catalog that a relation was made for a publication, so that it is protected and dropped with it.  Parts:
 * "source" (the pinned view), "lookups" (a view of their names), "sensitive_tuple" and "sensitive_rows" (types), "members", "asked",
 * "groups", "places", "people", "regions", "counterfeits" and "reference" (history), "cleared" and "secret" (the guard of
 * a shard), "release" and "releases", the list of them; "auditors", whose readers may audit; those of pprepub_internal.is_loose(); and, for each table that a parameter
 * names, TABLE_PART with the parameter's name.
 */
#define TABLE_PART "table "

extern void note_relation(const DeclaredPublication *publication, Oid relation, const char *part);

/* Records that so many people, or the tables of releases, were forgotten; the other one is NULL. */
extern void note_erasure(const DeclaredPublication *publication, CatalogParam people, CatalogParam releases);

/* Raises an error if another relation has the name that one of the publication is to get. */
extern void verify_name_is_not_taken(const DeclaredPublication *publication,
									 const char *schema, const char *name);

/* Records in the catalog the columns from this index on, the hidden ones, too, in place of those that it has there. */
extern void note_columns(const DeclaredPublication *publication, int from);

/* The relation noted as a part that occurs once, or InvalidOid. */
extern Oid	noted_relation(const DeclaredPublication *publication, const char *part);

/*
 * The type of a column as DDL writes it, with its collation; domains looked through.  To be called with the search path
 * that act_as() sets.
 */
extern char *column_type_sql(const DeclaredColumn *column);

/* A type's own equality, wherever its operator stands. */
extern char *equality_sql(Oid type);

/* The types, as DDL writes them, of a quasi-identifier's cells, and in which releases show any column. */
extern char *printed_type_sql(const DeclaredColumn *column);
extern char *released_type_sql(const DeclaredColumn *column);

/* Raises an error if the current user has not the rights of the owner of a publication of this name. */
extern void verify_rights_of(Oid owner, const char *name);

/* Raises an error if a function's argument is NULL; and an argument that names an object. */
extern void verify_not_null(FunctionCallInfo fcinfo, int n, const char *what);
extern char *text_argument(FunctionCallInfo fcinfo, int n, const char *what);

/*
 * Raises an error unless both schemas exist, the owner owns them, and no other role may create in them: the owner of a
 * schema can drop what stands in it, and a role that may create in it can put things in the way.
 */
extern void verify_schemas(const DeclaredPublication *publication, Oid owner);

/* Like verify_schemas(), but creates a schema that is missing.  As the owner, inside SPI. */
extern void ensure_schemas(const DeclaredPublication *publication);

/* ----------------------------------------------------------------
 * The tuple of several sensitive columns: create.c
 *
 * A person's sensitive value is then one value of a composite type, TARGET_private.NAME_sensitive, which the pinned view
 * computes in its first hidden column: NULL where all of them are NULL.  The past remembers tuples as it does values of a
 * single column, and releases show the columns again.
 *
 * Where a person may have several rows, the hidden column holds one of them, as a value of TARGET_private.NAME_rows, which
 * is an array of tuples; the past remembers all rows of a person in one value.
 * ----------------------------------------------------------------
 */

/* The pinned view, of columns that have these names in the source: [columns and hidden columns of the publication]. */
extern char *pinned_view_sql(const DeclaredPublication *publication, const char *const *names);

/*
 * Adds the columns that arguments of alter_publication() name, behind those that are declared, and returns how many.  Releases
 * up to now show them as withheld.
 */
extern int	add_columns(DeclaredPublication *publication, FunctionCallInfo fcinfo);

/* ----------------------------------------------------------------
 * The step of a range, the numbers, dates or times that its cells may end at: kinds.c
 *
 * A step divides the line of a type into bins, [20,25) and [25,30) for a step of 5, and cells are made of whole bins.  Bins
 * of numbers begin at multiples of the step, those of months at multiples counted from the year 0, and those of days and
 * times at multiples counted from a Monday (UTC for timestamptz).
 * ----------------------------------------------------------------
 */

typedef struct RangeStep
{
	Oid			type;			/* of the ends of bins: the one that the printed ranges are over */

	/* One of these */
	int64		unit;			/* whole numbers; days of dates, microseconds of timestamps; or 0 */
	int32		months;			/* of dates and timestamps; or 0 */
	Numeric		number;			/* of numeric, and of real and double precision; or NULL */
} RangeStep;

/* A range's step in the current context, or NULL without; an error if it does not suit the column's type. */
extern const RangeStep *step_of(const DeclaredColumn *column);

/* ----------------------------------------------------------------
 * Releases and history stay, neither changed nor dropped behind the publication's back: refuse_ddl.c
 *
 * Two fences.  A statement trigger on each release and log table refuses INSERT, UPDATE, DELETE and TRUNCATE; it is fired
 * whatever session_replication_role says, and pg_dump restores it after the data.  An event trigger of the extension
 * refuses the DDL that would drop, rewrite or rename such a table, change its columns or take down the first fence.
 * pg_restore's own commands (OWNER, GRANT, ENABLE ALWAYS, indexes) pass.
 * ----------------------------------------------------------------
 */

/* Creates the trigger of the first fence on a new table. As the owner, inside SPI. */
extern void seal_table(Oid table);

/*
 * Executes a statement, in which the table's name is "%s", that the first fence lets through; $1 is a value of a type, unless
 * that is InvalidOid.  As the owner, inside SPI.
 */
extern void execute_past_seal(Oid table, const char *sql, Oid type, Datum value);

/* Executes a statement that the second fence lets through. As the owner, inside SPI. */
extern void execute_own_ddl(const char *sql);

/* ----------------------------------------------------------------
 * Questions of declare/ that only higher rooms can answer
 *
 * Reading a source, and what parameters mean for people who were published, are beyond declare/: release/ fills this in
 * when the module is loaded.
 * ----------------------------------------------------------------
 */

typedef struct DeclareHooks
{
	/*
	 * A publication has been declared, or its parameters have changed from those before, which are NULL in a
	 * declaration: can the source be published?
	 */
	void		(*look_at_source) (const DeclaredPublication *publication, Jsonb *before);

	/*
	 * A publication that has releases, as it was, gets new parameters: what do they mean for the people in these?  An
	 * error if some of them can never be published again and that is not accepted.
	 */
	void		(*judge_parameters) (const DeclaredPublication *publication, Jsonb *params, bool accept_lockout);

	/*
	 * A table that a parameter names was copied, while the copy that it replaces still stands (or is InvalidOid):
	 * called as the owner, inside SPI, before the new one is sealed.  The method refuses rows that make no sense, and
	 * may add rows.
	 */
	void		(*check_table) (const DeclaredPublication *publication, const char *param,
								Oid old_copy, Oid new_copy, bool accept_weakening);

	/* The columns from this one on were added: tables and functions that have the others get them, too. */
	void		(*show_columns) (const DeclaredPublication *publication, int from);

	/* A publication is dropped, while all of it still stands: what was made for it by higher rooms ends, too. */
	void		(*end_publication) (const DeclaredPublication *publication);
} DeclareHooks;

extern const DeclareHooks *declare_hooks;

#endif							/* PPREPUB_DECLARE_PUBLICATION_H */

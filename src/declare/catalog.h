/*
 * catalog.h
 *		The extension's own tables, which only the extension can read; on whose behalf code runs; and work that may fail.
 */
#ifndef PPREPUB_DECLARE_CATALOG_H
#define PPREPUB_DECLARE_CATALOG_H

#include "postgres.h"

#include "executor/spi.h"
#include "utils/acl.h"
#include "utils/snapshot.h"

/* ---- On whose behalf code runs, and the rights on what it makes ---- */

/* The identity to return to after acting as another role. */
typedef struct Identity
{
	Oid			userid;
	int			security_context;
	int			guc_level;
} Identity;

/*
 * Act as a role in a security-restricted context: code that a source, a type or an operator brings along runs with that
 * role's rights only, and cannot get others'.  Settings that change the meaning of queries, the look of values, or
 * whether plans are compiled are fixed until act_as_before().  Nothing need be done on error.
 */
extern void act_as(Identity *before, Oid role);
extern void act_as_before(const Identity *before);

/* Sets the settings that act_as() fixes once more: hostile code may have changed them. */
extern void fix_settings(void);

/*
 * To be called first by every function that changes what is declared or published.  An error in a read-only transaction,
 * on a standby, while library and objects are of different versions, and when the call comes from a source's own code: it
 * could pull a publication away from under the release that is being made.
 */
extern void verify_may_change(const char *command);

/* Is it a table, a view, a materialized view, a foreign table or a partitioned one?  And an error if it is none of them. */
extern bool is_read_like_table(Oid relation);
extern void verify_source_kind(Oid relation);

extern Oid	relation_owner(Oid relation);

/* Does the current user have the rights of this role? */
extern bool has_rights_of(Oid role);

/*
 * Revokes every right on a new object from all roles but its owner, whatever the default privileges say.  named is the
 * object as a GRANT names it: "TABLE a.b", "SCHEMA s", "FUNCTION f(text)".  To be called as the owner or a superuser,
 * inside SPI.
 */
extern void reset_rights(Oid classid, Oid object, const char *named);

/* A relation as a statement names it: schema and name, quoted. */
extern char *quoted_relation(Oid relation);

/* SPI_execute() of a utility statement, which must succeed. */
extern void execute_ddl(const char *sql);

/* ---- The catalog ---- */

typedef struct CatalogAccess
{
	Identity	caller;
	MemoryContext context;		/* where results are copied to: the context that was current at catalog_enter() */
} CatalogAccess;

extern void catalog_enter(CatalogAccess *access);
extern void catalog_leave(CatalogAccess *access);

/*
 * Runs one statement on the catalog with its parameters, given as a type and a Datum each; CATALOG_NULL() stands for a
 * NULL.  Returns the number of rows processed; rows returned are in SPI_tuptable.  To be called by the names below.
 */
typedef struct CatalogParam
{
	Oid			type;
	Datum		value;
	bool		isnull;
} CatalogParam;

typedef enum CatalogMode
{
	CATALOG_READ,				/* see below */
	CATALOG_LOOK,
	CATALOG_WRITE
} CatalogMode;

extern uint64 catalog_run(const char *sql, CatalogMode mode, int nparams, const CatalogParam *params);

#define CATALOG_PARAM(type_, value_)	((CatalogParam) {(type_), (value_), false})
#define CATALOG_INT(number)				CATALOG_PARAM(INT4OID, Int32GetDatum(number))
#define CATALOG_OID(oid)				CATALOG_PARAM(OIDOID, ObjectIdGetDatum(oid))
#define CATALOG_NULL(type_)				((CatalogParam) {(type_), (Datum) 0, true})
#define CATALOG_TEXT(cstring) \
	((cstring) ? CATALOG_PARAM(TEXTOID, CStringGetTextDatum(cstring)) : CATALOG_NULL(TEXTOID))

#define CATALOG_PARAMS(...) \
	lengthof(((CatalogParam[]) {__VA_ARGS__})), (CatalogParam[]) {__VA_ARGS__}

/*
 * Reads see all that is committed now, whatever snapshot the transaction has: a check must hold for everything that
 * others have declared and published.  Writes keep to the transaction's snapshot, so that under REPEATABLE READ a row
 * that was changed meanwhile is a serialization failure.  A look sees what the active snapshot sees: a report tells of
 * one moment.
 */
#define catalog_read(sql, ...)		catalog_run((sql), CATALOG_READ, CATALOG_PARAMS(__VA_ARGS__))
#define catalog_look(sql, ...)		catalog_run((sql), CATALOG_LOOK, CATALOG_PARAMS(__VA_ARGS__))
#define catalog_execute(sql, ...)	catalog_run((sql), CATALOG_WRITE, CATALOG_PARAMS(__VA_ARGS__))

/* Does a read find a row?  It enters the catalog, and leaves it. */
extern bool catalog_has(const char *sql, int nparams, const CatalogParam *params);

#define catalog_finds(sql, ...)		catalog_has((sql), CATALOG_PARAMS(__VA_ARGS__))

/*
 * Inserts rows into a table with plain indexes only, without SPI.  values holds all columns of each row in turn, none of
 * them NULL.  No trigger fires, and later commands see the rows.
 */
extern void catalog_add(const char *table, const Datum *values, int nrows);

/* A field of the last result, by row and name; the value lives as long as SPI_tuptable. */
extern Datum catalog_field(uint64 row, const char *name, bool *isnull);

/* A field of the last result that is an array of int4, without NULLs. */
extern const int32 *catalog_numbers(uint64 row, const char *name, int *n);

/*
 * A field's text, in the context of catalog_enter(), or NULL; an integer of 4 or 8 bytes, or whether a boolean is true,
 * 0 for a NULL; and an OID, or InvalidOid.
 */
extern char *catalog_text(CatalogAccess *access, uint64 row, const char *name);
extern int64 catalog_int(uint64 row, const char *name);
extern Oid	catalog_oid(uint64 row, const char *name);

/* Raises the error that field "wrong" of the last result is, if it is not NULL: SQLSTATE, message, detail and hint, as text[]. */
extern void catalog_raise(void);

/*
 * Formats of what is remembered, which each row of the catalog notes: of relations, and of releases (their cells, the
 * order of their classes, their checksums).  A change makes a new number, and the code goes on reading those before.
 */
#define RELATION_FORMAT	1
#define RELEASE_FORMAT	1

/* Refuses what another format than those that are known was written in. */
extern void verify_format(const char *publication, int32 format, int32 known);

/* Refuses to work while the extension's objects are of another version than the library. */
extern void verify_version(void);

/* The owner of the extension's tables, or InvalidOid while there are none. */
extern Oid	catalog_owner(void);

/* A table of the catalog by its name, or InvalidOid. */
extern Oid	catalog_relation(const char *name);

/* ---- Work that may fail through no fault of ours: it reads what others made ---- */

/*
 * Does the work in a subtransaction, in the current context.  Returns NULL, or the error that it came to: then all is
 * undone, but for what it wrote into memory; so it is, in any case, of work that only looks.  A caller that does not
 * swallow the error throws it again, after this has returned: thrown earlier, it would end the subtransaction of a
 * handler further up instead of ours.
 */
extern ErrorData *work_in_subtransaction(void (*work) (void *what), void *what, bool is_kept);

#define try_in_subtransaction(work, what)	work_in_subtransaction((work), (what), true)
#define look_in_subtransaction(work, what)	work_in_subtransaction((work), (what), false)

/* Is it the moment that made an error, and not what was read? */
extern bool is_transient(int sqlerrcode);

#endif							/* PPREPUB_DECLARE_CATALOG_H */

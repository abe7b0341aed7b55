/*
 * catalog.h
 *		The extension's own tables, which only the extension can read.
 *
 * Between catalog_enter() and catalog_leave() the session acts as the owner of
 * the extension, with a search path that resolves to pg_catalog only and an
 * open SPI connection.  Nothing that belongs to a user (no view, function,
 * type or trigger of theirs) may be touched in between: identity.h's act_as()
 * is for that.  After an error the transaction's abort puts the identity back.
 */
#ifndef PPREPUB_DECLARE_CATALOG_H
#define PPREPUB_DECLARE_CATALOG_H

#include "postgres.h"

#include "declare/identity.h"
#include "executor/spi.h"

typedef struct CatalogAccess
{
	Identity	caller;
	MemoryContext context;		/* where results are copied to: the context that was current at catalog_enter() */
} CatalogAccess;

extern void catalog_enter(CatalogAccess *access);
extern void catalog_leave(CatalogAccess *access);

/*
 * Runs one statement on the catalog with its parameters, given as a type and a
 * Datum each; CATALOG_NULL() stands for a NULL.  Returns the number of rows
 * processed; rows returned are in SPI_tuptable.  To be called by the names below.
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
#define CATALOG_NULL(type_)				((CatalogParam) {(type_), (Datum) 0, true})
#define CATALOG_TEXT(cstring) \
	((cstring) ? CATALOG_PARAM(TEXTOID, CStringGetTextDatum(cstring)) : CATALOG_NULL(TEXTOID))

#define CATALOG_PARAMS(...) \
	lengthof(((CatalogParam[]) {__VA_ARGS__})), (CatalogParam[]) {__VA_ARGS__}

/*
 * Reads see all that is committed now, whatever snapshot the transaction has:
 * a check must hold for everything that others have declared and published.
 * Writes keep to the transaction's snapshot, so that under REPEATABLE READ a
 * row that was changed meanwhile is a serialization failure.  A look sees what
 * the active snapshot sees: a report tells of one moment.
 */
#define catalog_read(sql, ...)		catalog_run((sql), CATALOG_READ, CATALOG_PARAMS(__VA_ARGS__))
#define catalog_look(sql, ...)		catalog_run((sql), CATALOG_LOOK, CATALOG_PARAMS(__VA_ARGS__))
#define catalog_execute(sql, ...)	catalog_run((sql), CATALOG_WRITE, CATALOG_PARAMS(__VA_ARGS__))

/*
 * Inserts rows into a table with plain indexes only, without SPI.  values
 * holds all columns of each row in turn, none of them NULL.  No trigger fires,
 * and later commands see the rows.
 */
extern void catalog_add(const char *table, const Datum *values, int nrows);

/* A field of the last result, by row and name; the value lives as long as SPI_tuptable. */
extern Datum catalog_field(uint64 row, const char *name, bool *isnull);

/* A field of the last result that is an array of int4, without NULLs. */
extern const int32 *catalog_numbers(uint64 row, const char *name, int *n);

/* Fields copied to the context of catalog_enter(); NULL for a NULL. */
extern char *catalog_text(CatalogAccess *access, uint64 row, const char *name);
extern int32 catalog_int(uint64 row, const char *name);
extern Oid	catalog_oid(uint64 row, const char *name);

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

#endif							/* PPREPUB_DECLARE_CATALOG_H */

/*
 * import.h
 *		A table that was published elsewhere, on its way to be a release.
 *
 * Its columns become numbers of values, row by row: first as the table has them,
 * then as releases show them.  All of it lives in one context.
 */
#ifndef PPREPUB_IMPORT_IMPORT_H
#define PPREPUB_IMPORT_IMPORT_H

#include "postgres.h"

#include "frame/load.h"
#include "utils/uuid.h"

/* A column of the table. */
typedef struct ImportColumn
{
	const DeclaredColumn *column;	/* what it is, or NULL for a class */
	char	   *name;
	Oid			type;			/* there */
	int32		typmod;
	int16		word;			/* its length if it is passed by value, or 0 */
	Dictionary *values;			/* as the table has them; see convert_columns() */
	uint32	   *number;			/* [nrows] */
	uint64		room;
	Span	   *codes;			/* [values] what cells cover in the source; lo > hi for nothing */
} ImportColumn;

/* Rows of equal cells, and of the same class where the table has such a column. */
typedef struct ImportClasses
{
	uint32		nclasses;
	uint64	   *first;			/* [nclasses + 1] class c is rows[first[c]] up to, not including, rows[first[c + 1]] */
	RowId	   *rows;			/* [nrows] */
	uint64	   *first_person;	/* likewise of people, if the table has a key */
	RowId	   *people;
	int64	   *number;			/* [nclasses] by which the history knows it, from 1 on */
	uint32	   *order;			/* [nclasses] in which they stand in the table */
} ImportClasses;

typedef struct Import
{
	const DeclaredPublication *publication;
	Oid			table;
	const char *table_name;
	bool		accepts_changes;	/* may people have changed since? */
	MemoryContext context;

	/* The table */
	int			ncolumns;
	ImportColumn *columns;		/* [ncolumns] in the order of the query */
	ImportColumn *key;			/* one of them, or NULL */
	ImportColumn *class;		/* one of them, or NULL */
	ImportColumn **declared;	/* [publication->ncolumns] or NULL for those that it lacks */
	bool	   *shown;			/* [publication->ncolumns] */
	uint64		nrows;

	/* The source, with the columns that the table has */
	LoadedFrame *present;
	KeyTable   *people;			/* of the table, if it has a key */
	uint32	   *person;			/* [nrows] whose each row is */
	RowId	   *row_of_person;	/* [people] in the source, or NO_ROW for who has left */
	uint64	   *row_of_value;	/* [nrows] what the source has in the sensitive columns, for code_in_column(): of
								 * people with several rows, in one of theirs; or NO_CODE */
	bool	   *has_changed;	/* [people] is there a quasi-identifier that the cells do not cover? */
	uint64		changed;		/* rows whose cells, or values, are not what the source has */
	uint64		left;			/* people who are not in the source */

	ImportClasses classes;
} Import;

/* The release that an import has become. */
typedef struct Imported
{
	Oid			release;
	uint64		checksum_seed;
	pg_uuid_t  *checksum;
	uint64		newcomers;
	double		history_seconds;
} Imported;

/* read_table.c: which columns are what; an error for those that are nothing, and where the owner may not read. */
extern void match_columns(Import *import, const char *key);

/* All rows, as the owner, under the active snapshot. */
extern void read_table(Import *import);

/* convert.c: values as releases show them; an error for those that are no cells, or none that the column can hold. */
extern void convert_columns(Import *import);

/* The source, who of the table is in it, and which of its codes the cells cover. */
extern void read_present(Import *import);

/* Values of a plain column on common codes: equal values of the table and of the source have the same. */
typedef struct CommonCodes
{
	Code		ncodes;			/* NULL's is the last */
	Code	   *of_value;		/* [values of the table] */
	Code	   *of_code;		/* [codes of the source + 1] NULL's first */
} CommonCodes;

extern CommonCodes common_codes(const ImportColumn *column, const PlainColumn *plain);

/* The source's values of a declared column that is sensitive or insensitive, and shown. */
extern const PlainColumn *plain_column(const Import *import, const DeclaredColumn *column);
extern int	coded_column(const Import *import, const DeclaredColumn *column);

/* With a key: which of the person's rows in the source each row of the table is. */
extern void find_own_rows(Import *import);

/* How many rows have values that are bad, of which *examples are listed by their texts. */
extern uint64 find_bad_rows(const Import *import, const ImportColumn *column, const bool *is_bad, char *const *texts, char **examples);

/* A cell, or a value, as text; "NULL" for NULL. */
extern char *imported_text(const ImportColumn *column, uint32 number);

/* verify.c: with a key, do the cells cover the people's rows? */
extern void verify_covers(Import *import);

/* Without a key, can each row be of another person? */
extern void verify_fits(const Import *import);

/* store_import.c: rows of equal cells; an error if those of a person are in several classes. */
extern void make_classes(Import *import);

/* The release's table and its rows, in an order that says nothing. */
extern void store_import(Import *import, int32 number, Imported *imported);

/* With a key, what the history is to know of it. */
extern void remember_import(const Import *import, int32 number, Imported *imported);

#endif							/* PPREPUB_IMPORT_IMPORT_H */

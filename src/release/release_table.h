/*
 * release_table.h
 *		The table of a release, before and after its rows are in it.
 */
#ifndef PPREPUB_RELEASE_RELEASE_TABLE_H
#define PPREPUB_RELEASE_RELEASE_TABLE_H

#include "postgres.h"

#include "declare/publication.h"

/* As the owner, inside SPI: TARGET.NAME_<number>, for nobody but the owner to read. */
extern Oid	create_release_table(const DeclaredPublication *publication, int32 number);

/* The same: seals it, and notes that it was made for the publication. */
extern void keep_release_table(const DeclaredPublication *publication, Oid table);

/* A WARNING when somebody expects logical replication to carry the table's rows. */
extern void warn_of_replication(Oid table);

#endif							/* PPREPUB_RELEASE_RELEASE_TABLE_H */

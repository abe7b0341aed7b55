/*
 * replace.h
 *		A table of ours filled anew.
 */
#ifndef PPREPUB_HISTORY_REPLACE_H
#define PPREPUB_HISTORY_REPLACE_H

#include "postgres.h"

/* As the owner, inside SPI: the rows that SPI has found stand for all rows of the table. */
extern void replace_all_rows(Oid table);

#endif							/* PPREPUB_HISTORY_REPLACE_H */

/*
 * shown_lists.h
 *		What analysts may know of a publication, beside its rows: the table
 *		TARGET.NAME_releases and, where it answers, the view TARGET.NAME_answers.
 *
 * Both stand from the declaration on, so that they can be granted; tell_release() adds a row to the table for each release
 * that has a table, as view pprepub_internal.catalog_listed_release has it.
 */
#ifndef PPREPUB_DECLARE_SHOWN_LISTS_H
#define PPREPUB_DECLARE_SHOWN_LISTS_H

#include "postgres.h"

#include "declare/publication.h"

/* Creates them, without any grants.  Called as the owner, inside SPI. */
extern void create_shown_lists(const DeclaredPublication *publication);

/* Notes them among what was made for the publication. */
extern void note_shown_lists(const DeclaredPublication *publication);

/* The view alone: it reads the live table, and goes with it. */
extern void create_answers_view(const DeclaredPublication *publication);

#endif							/* PPREPUB_DECLARE_SHOWN_LISTS_H */

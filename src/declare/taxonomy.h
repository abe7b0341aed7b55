/*
 * taxonomy.h
 *		Taxonomies by name, and the unchanging trees that names point at.
 */
#ifndef PPREPUB_DECLARE_TAXONOMY_H
#define PPREPUB_DECLARE_TAXONOMY_H

#include "postgres.h"

/* Both are to be called between catalog_enter() and catalog_leave(). */

/* The tree that a taxonomy stands for now; an unknown name is an error. */
extern int32 find_taxonomy(const char *name);

/* Deletes the trees that no taxonomy, publication or release points at. */
extern void forget_unused_trees(void);

#endif							/* PPREPUB_DECLARE_TAXONOMY_H */

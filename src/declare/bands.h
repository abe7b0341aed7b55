/*
 * bands.h
 *		Bands by which sensitive values are judged, as a parameter says:
 *		{"bands": {"income": "taxonomy income_ladder", "born": "range 1 year", "diagnosis": "taxonomy icd 2"}}.
 *
 * Releases show the value itself; principles take all values of a band for one.
 * Bands stand with the column, and in the catalog: its kind, and the publication's
 * own copy of the tree.  Of a ladder the first width counts.  Of another taxonomy
 * bands are the nodes of a level, and leaves that are nearer to the root.  An
 * extension of a tree keeps all nodes where they are, and so the bands of all
 * values that it had.
 */
#ifndef PPREPUB_DECLARE_BANDS_H
#define PPREPUB_DECLARE_BANDS_H

#include "postgres.h"

#include "declare/publication.h"
#include "utils/jsonb.h"

/*
 * Gives the publication's sensitive columns the bands of these parameters, which are checked each by itself, and no
 * others; a tree that is declared again stays the one that it was.  An error if a column cannot have its bands.
 */
extern void set_bands(DeclaredPublication *publication, Jsonb *params);

/* Writes them to the catalog, where the publication's columns are noted already. */
extern void note_bands(const DeclaredPublication *publication);

#endif							/* PPREPUB_DECLARE_BANDS_H */

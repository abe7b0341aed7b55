/*
 * source_needs.h
 *		What a source holds of all that its publication's parameters need.
 */
#ifndef PPREPUB_RELEASE_SOURCE_NEEDS_H
#define PPREPUB_RELEASE_SOURCE_NEEDS_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/frame.h"

/* Different sensitive values: of the column with the fewest, and bands where these are judged. */
extern uint64 count_sensitive_values(const Frame *frame);

/* Rows without a sensitive value. */
extern uint64 count_without_value(const Frame *frame);

/*
 * An error, for the owner, if all rows of the source are too few for a first
 * release, or have too few sensitive values: with the numbers, and what to
 * declare instead.
 */
extern void verify_needs(const DeclaredPublication *publication, const Frame *frame);

#endif							/* PPREPUB_RELEASE_SOURCE_NEEDS_H */

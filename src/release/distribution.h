/*
 * distribution.h
 *		The distribution that a release is compared with, where its principle compares:
 *		read or made before the release, and written with it.
 */
#ifndef PPREPUB_RELEASE_DISTRIBUTION_H
#define PPREPUB_RELEASE_DISTRIBUTION_H

#include "postgres.h"

#include "history/reference.h"
#include "release/request.h"

/*
 * Called as the owner, inside SPI: the distribution as it is before a release; NULL where nothing compares.  It
 * says nothing yet where the release itself will make it.  Where there is none, and the release is about a part of
 * the people, all of the source is read: asking must not choose it.
 */
extern Reference *read_distribution(const DeclaredPublication *publication, const Scope *scope);

/* Compares a load with it, whose past has been read.  A release of everybody adds what it finds; an answer never does. */
extern void compare_with_distribution(const DeclaredPublication *publication, const Scope *scope,
									  Reference *reference, FrameLoad *load);

/* An error, for the owner, if people have values that a declared distribution lacks, and that can never be shown so. */
extern void verify_distribution_has_all(const DeclaredPublication *publication, const Reference *reference,
										const LoadedFrame *loaded);

/* An error if a distance is declared that supposes an order, and the values of a sensitive column have none. */
extern void verify_distance(const DeclaredPublication *publication);

/* Checks the rows of a declared distribution; see declare/publication.h. */
extern void check_distribution(const DeclaredPublication *publication, Oid old_copy, Oid new_copy, bool accept_weakening);

#endif							/* PPREPUB_RELEASE_DISTRIBUTION_H */

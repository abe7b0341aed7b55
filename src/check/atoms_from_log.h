/*
 * atoms_from_log.h
 *		Whom nobody can separate, told from the log where no neighborhoods are
 *		kept beside it.
 */
#ifndef PPREPUB_CHECK_ATOMS_FROM_LOG_H
#define PPREPUB_CHECK_ATOMS_FROM_LOG_H

#include "postgres.h"

#include "audit/atoms.h"
#include "history/neighborhoods.h"

/* Every atom as a neighborhood; *n is set to how many there are. */
extern KnownNeighborhood *neighborhoods_of_log(const Seen *seen, const Atoms *atoms, uint64 *n);

#endif							/* PPREPUB_CHECK_ATOMS_FROM_LOG_H */

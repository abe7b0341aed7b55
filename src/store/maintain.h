/*
 * maintain.h
 *		What the functions about a table of ours have in common.
 */
#ifndef PPREPUB_STORE_MAINTAIN_H
#define PPREPUB_STORE_MAINTAIN_H

#include "postgres.h"

#include "storage/lockdefs.h"
#include "utils/rel.h"

/* Opens a table; raises an error if the caller does not own it, or it is not one of ours. */
extern Relation open_own_table(Oid relid, LOCKMODE lockmode);

#endif							/* PPREPUB_STORE_MAINTAIN_H */

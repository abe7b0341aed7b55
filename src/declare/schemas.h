/*
 * schemas.h
 *		TARGET and TARGET_private, which belong to the owner alone.
 */
#ifndef PPREPUB_DECLARE_SCHEMAS_H
#define PPREPUB_DECLARE_SCHEMAS_H

#include "declare/publication.h"

/*
 * Both schemas exist, the owner owns them, and nobody else may create in them:
 * who owns a schema can drop what stands in it, and who may create in it can
 * put things in the way.  Anything else is an error.
 */
extern void verify_schemas(const DeclaredPublication *publication, Oid owner);

/* The same, but a schema that is missing is made.  As the owner, inside SPI. */
extern void ensure_schemas(const DeclaredPublication *publication);

#endif							/* PPREPUB_DECLARE_SCHEMAS_H */

/*
 * declared.h
 *		What declarations mean for releases.
 */
#ifndef PPREPUB_RELEASE_DECLARED_H
#define PPREPUB_RELEASE_DECLARED_H

#include "postgres.h"

#include "declare/publication.h"

extern const DeclareHooks release_hooks;

#endif							/* PPREPUB_RELEASE_DECLARED_H */

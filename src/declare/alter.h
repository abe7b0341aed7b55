/*
 * alter.h
 *		Altering publications.
 */
#ifndef PPREPUB_DECLARE_ALTER_H
#define PPREPUB_DECLARE_ALTER_H

#include "declare/publication.h"

/*
 * Called when a publication that has releases gets new parameters, with the
 * publication as it was.  What they mean for the people in the releases is
 * beyond declare/, so release/ has its say by this.
 */
typedef void (*ParametersHook) (const DeclaredPublication *publication, Jsonb *params);

extern ParametersHook parameters_hook;

/* Called when a publication is dropped, while all of it still stands: what release/ made for it ends, too. */
typedef void (*DropHook) (const DeclaredPublication *publication);

extern DropHook drop_hook;

#endif							/* PPREPUB_DECLARE_ALTER_H */

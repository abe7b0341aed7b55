/*
 * first_look.h
 *		A look at a source when it is declared: can it be published at all?
 */
#ifndef PPREPUB_RELEASE_FIRST_LOOK_H
#define PPREPUB_RELEASE_FIRST_LOOK_H

#include "declare/publication.h"

/*
 * To be called when a publication has been declared, or has other parameters than
 * before: then it is about what these need more, if they do.  A WARNING if there
 * are rows, but fewer than they need, or fewer different sensitive values; or if
 * the source cannot be read, as it may be later.  An error if a key is declared
 * that is NULL or repeated.
 */
extern void look_at_source(const DeclaredPublication *publication, Jsonb *before);

#endif							/* PPREPUB_RELEASE_FIRST_LOOK_H */

/*
 * strengthen.h
 *		What stronger parameters mean for the people who were published.
 */
#ifndef PPREPUB_SERVE_STRENGTHEN_H
#define PPREPUB_SERVE_STRENGTHEN_H

#include "declare/publication.h"

/* A WARNING when stronger parameters shut people out for ever, with their number. */
extern void warn_of_lost_people(const DeclaredPublication *publication, Jsonb *params);

#endif							/* PPREPUB_SERVE_STRENGTHEN_H */

/*
 * warn_of_lost_people.h
 *		What stronger parameters mean for the people who were published.
 */
#ifndef PPREPUB_RELEASE_WARN_OF_LOST_PEOPLE_H
#define PPREPUB_RELEASE_WARN_OF_LOST_PEOPLE_H

#include "declare/publication.h"

/* A WARNING when stronger parameters shut people out for ever, with their number. */
extern void warn_of_lost_people(const DeclaredPublication *publication, Jsonb *params);

#endif							/* PPREPUB_RELEASE_WARN_OF_LOST_PEOPLE_H */

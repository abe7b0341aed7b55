/*
 * given_principle.h
 *		The principles by which releases are judged: those that they were made under, or
 *		one that somebody gives, whatever was declared.
 */
#ifndef PPREPUB_RELEASE_GIVEN_PRINCIPLE_H
#define PPREPUB_RELEASE_GIVEN_PRINCIPLE_H

#include "postgres.h"

#include "fmgr.h"
#include "history/recall.h"
#include "release/past_releases.h"

/*
 * Reads an argument that is a principle: a JSON object of "k", "l" and the parameters of principle/list.h.  NULL if
 * there is none.  As strict as with a method's parameters; one that asks for nothing is an error, too.
 */
extern const Principle *principle_argument(FunctionCallInfo fcinfo, int argument);

/*
 * Binds the principles of releases to the values that were seen, so that code of audit/ can ask them.
 * given: the principle that all of them are judged by instead, or NULL.
 */
extern void bind_principles(Released *released, const Seen *seen, const Aspects *aspects, const Principle *given);

#endif							/* PPREPUB_RELEASE_GIVEN_PRINCIPLE_H */

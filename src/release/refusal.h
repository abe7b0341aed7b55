/*
 * refusal.h
 *		Why a method that shows every row or nothing shows nothing: for the owner.
 */
#ifndef PPREPUB_RELEASE_REFUSAL_H
#define PPREPUB_RELEASE_REFUSAL_H

#include "postgres.h"

#include "release/release.h"

/* An error if the method has refused its draft. */
extern void verify_not_refused(const Making *making);

#endif							/* PPREPUB_RELEASE_REFUSAL_H */

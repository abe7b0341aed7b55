/*
 * refusal.h
 *		Why a method that shows every row or nothing shows nothing: for the owner.
 */
#ifndef PPREPUB_SERVE_REFUSAL_H
#define PPREPUB_SERVE_REFUSAL_H

#include "postgres.h"

#include "serve/release.h"

/* An error if the method has refused its draft. */
extern void verify_not_refused(const Making *making);

#endif							/* PPREPUB_SERVE_REFUSAL_H */

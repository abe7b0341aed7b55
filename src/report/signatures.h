/*
 * signatures.h
 *		In which releases people were, as observers of all of them know it.
 */
#ifndef PPREPUB_REPORT_SIGNATURES_H
#define PPREPUB_REPORT_SIGNATURES_H

#include "postgres.h"

#include "audit/atoms.h"
#include "utils/varbit.h"

/* A bit for each release: was the atom in it? */
extern VarBit *signature_of(const Atoms *atoms, uint32 atom, int32 nreleases);

#endif							/* PPREPUB_REPORT_SIGNATURES_H */

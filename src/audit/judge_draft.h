/*
 * judge_draft.h
 *		The last check of a draft before it may leave: every method's classes are judged once more, by code that trusts
 *		nothing of what made them.
 */
#ifndef PPREPUB_AUDIT_JUDGE_DRAFT_H
#define PPREPUB_AUDIT_JUDGE_DRAFT_H

#include "compat.h"
#include "partition/classes.h"
#include "partition/principle.h"

/*
 * Return if the classes may be published from this frame, else raise an internal error that names the check and the
 * class, by its place in the draft from 0 on, and nothing of what the class holds.
 *
 * Checked are: the principle allows each class, by its members' sensitive values counted afresh; each row is a row of
 * the frame, and in one class at most; each member's code lies in its class's region, for every quasi-identifier; each
 * region is made of cells that can be printed.  Rows in no class were suppressed, which is not a fault here.
 *
 * Linear in the members times the quasi-identifiers; needs a bit for each row and a counter for each sensitive value,
 * both freed on return.
 */
extern void judge_classes(const Frame *frame, const Classes *classes,
						  const Principle *principle);

/* The error that any last check raises of a class. */
pg_noreturn extern void refuse_draft(uint32 class, const char *fault);

#endif							/* PPREPUB_AUDIT_JUDGE_DRAFT_H */

/*
 * legal.h
 *		Are releases m-distinct (paper 002, Definitions 13 to 15)? Judged from
 *		what they show, by code that trusts nothing of what made them.
 *
 * A class is m-unique if it has at least m rows and no sensitive value twice.
 * The values of a class are a legal update instance of those of an earlier one
 * if each of these can have become one of them, and each of them one of these,
 * one by one: that is stronger than Definition 14, which leaves out who became
 * what, and it is what an observer can test.
 */
#ifndef PPREPUB_AUDIT_UPDATE_LEGAL_H
#define PPREPUB_AUDIT_UPDATE_LEGAL_H

#include "frame/update_sets.h"
#include "history/past.h"
#include "history/seen.h"
#include "partition/classes.h"

/*
 * A pairing of two lists of different values along updates, as large as there
 * is one; returns how many pairs.
 */
extern Code count_updates(const Updates *updates, const Code *before, Code nbefore,
						  const Code *after, Code nafter);

extern bool is_legal_instance(const Updates *updates, const Code *before, Code nbefore,
							  const Code *after, Code nafter);

/*
 * The last check of a draft: an internal error if it has not all rows, is not
 * m-unique, no legal update instance of a person's last class or, strict, puts
 * a new person among values that updates connect.  A person whose last
 * class had fewer than m values is protected as far as they go: each must find
 * a value of its own.
 */
extern void judge_distinct(const Frame *frame, const Past *past, const Classes *classes,
						   uint32 m, bool strict);

/* All that was ever published. */
typedef struct Legality
{
	uint64		classes;
	uint64		not_unique;
	int32		not_unique_in;	/* the first release, and its class */
	int64		not_unique_class;

	uint64		steps;			/* of people from one release to their next */
	uint64		illegal;
	int32		illegal_in;		/* the first release that one leads to, and its class */
	int64		illegal_class;
} Legality;

/*
 * Classes must have least_m rows.  Where a class of fewer than m leads to one
 * of m, since m was raised, each of its values must find one of its own.
 */
extern Legality judge_seen(const Seen *seen, const Updates *updates, uint32 least_m, uint32 m);

/* Of a release's classes, from 0 on, how many show values that updates connect? */
extern uint64 count_not_apart(const Seen *seen, int32 release, const Updates *updates);

#endif							/* PPREPUB_AUDIT_UPDATE_LEGAL_H */

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
 * m-unique, or no legal update instance of a person's last class.  A person whose
 * last class had fewer than m values is protected as far as they go: each must find
 * a value of its own or, under strict, the class stays as small.  Strict: no class
 * shows values that updates connect, but for people who are mixed (Past.is_mixed),
 * and these are among themselves.
 */
extern void judge_distinct(const Frame *frame, const Past *past, const Classes *classes,
						   uint32 m, bool strict);

/* The parameters that a release was published with. */
typedef struct DistinctPromise
{
	uint32		m;
	bool		strict;
} DistinctPromise;

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
 * A class must have the m rows of its release and be a legal update instance by it.  Where m
 * was raised, a class of fewer leads to one of m, each value finding one of its own; under strict
 * it stays as small, and nobody is new in it.
 */
extern Legality judge_seen(const Seen *seen, const Updates *updates, const DistinctPromise *promised);

/* ----------------------------------------------------------------
 * Strict: people who share classes, directly or through others, are among one
 * value of each of the same families for ever, a family being what updates
 * connect.  So any two families can be exchanged in all their classes.
 * ----------------------------------------------------------------
 */

typedef struct Mixture
{
	uint64		people;			/* who were promised that: all their releases were strict */
	uint64		failing;		/* of whom it is not so */
	int32		in;				/* the first release with a class that mixes such people, and the class, if any do */
	int64		class;
} Mixture;

/* Of whom it is not so: [individuals]; family: [values] by the whole declared table. */
extern bool *find_mixed(const Seen *seen, const uint32 *family);

/* Likewise, by what was promised: a release that is not strict takes nothing from what those before it promised. */
extern Mixture judge_mixed(const Seen *seen, const uint32 *family, const DistinctPromise *promised);

#endif							/* PPREPUB_AUDIT_UPDATE_LEGAL_H */

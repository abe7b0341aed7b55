/*
 * method.h
 *		The only door to the methods: what one is, and the list of them.
 *
 * A method decides what a release shows; it does not store.  It gets a frame,
 * what it wants of the past, and its own parameters, and returns a draft: classes
 * with regions and members.  A method that finds nothing to publish returns a
 * draft without classes; one that shows every row or nothing says why not with an
 * error, of which only the owner will hear: such methods do not answer.  Adding a
 * method is one file and one line of the list in methods.c.
 */
#ifndef PPREPUB_METHOD_METHOD_H
#define PPREPUB_METHOD_METHOD_H

#include "declare/param_spec.h"
#include "history/past.h"
#include "partition/buckets.h"
#include "partition/classes.h"
#include "partition/principle.h"

/* See method/sequence.h */
struct Sequence;
struct SequencePart;
struct SequenceJudgement;

typedef struct Draft
{
	Classes    *classes;

	/*
	 * People of a registry who dilute a class, though they have no row in it:
	 * rows of the frame that nobody asked for.  NULL where there are none.
	 */
	uint64	   *first_counted;	/* [nclasses + 1] */
	RowId	   *counted;

	double		k;				/* the size that classes are measured against */
	Refusal		refusal;		/* why there is no class, of a method that shows every row or nothing */
	uint64		suppressed;		/* rows asked for and in no class */
	uint64		exhausted;		/* of these: nothing can hide their value any more */
	uint64		dirty;			/* rows in classes that nobody asked for */

	/*
	 * For methods that want neighborhoods: whom counterfeits stand for, and of
	 * which neighborhood a class is part.  NULL for all others: their
	 * counterfeits stand for nobody, and never come again.
	 */
	uint64	   *stands_for;		/* [counterfeits] members of the past, or NO_MEMBER */
	uint32	   *parent;			/* [nclasses] or NO_NEIGHBORHOOD */
	uint32		rejected;		/* neighborhoods asked for, and not published */
	double		cutting_seconds;	/* the rest of the time went into guarding the past */
	const char *guarantee;		/* the join by which a sequence was judged, or NULL */
} Draft;

typedef struct Method
{
	MethodDeclaration declaration;

	/* What releases under these parameters promise of each set that they reveal; NULL where that is not theirs to promise. */
	Principle	(*principle) (const int64 *params);

	/*
	 * Where only the rows asked for are in the frame: which neighborhoods
	 * cannot be shown so, but perhaps with true rows of others of them?  Sets
	 * wanted[] and returns how many these are.  The frame has no
	 * quasi-identifiers yet.  NULL for methods that show what was asked for,
	 * or nothing.
	 */
	uint32		(*want_helpers) (const Frame *frame, const Past *past,
								 const int64 *params, bool *wanted);

	/*
	 * Drafts a release of the rows asked for.  Parameters come as
	 * param_spec.h says.  The same frame, parameters and seed give
	 * the same draft; everything is allocated in the current context.
	 */
	Draft	   *(*draft) (const Frame *frame, const Past *past,
						  const int64 *params, uint64 seed);

	/*
	 * The same for methods whose releases are judged together with all before by
	 * joining them, which have this instead.  Each part's cells are written, too.
	 * Where nothing may be published they say why not: an error, for the owner.
	 */
	Draft	   *(*draft_in_sequence) (const Frame *frame, struct Sequence *sequence, const int64 *params);

	/* Are people who came between releases judged by themselves, in as many parts of the sequence? */
	bool		(*parts_newcomers) (const int64 *params);

	/*
	 * Is this enough of a crowd, by how many of them have each sensitive value, NULL not among them, that
	 * everybody may know that somebody is one of them?
	 */
	bool		(*is_crowd) (const int64 *params, const uint64 *count, Code nvalues);

	/*
	 * Does a part keep what these parameters promise?  Judged from scratch, by the widest join that
	 * the budget allows to be narrowed, and does not keep less than the one before it.
	 */
	struct SequenceJudgement (*judge_part) (const struct SequencePart *part, const int64 *params, uint64 budget);

	/* What they promise, in words. */
	char	   *(*promise) (const int64 *params);
} Method;

extern const Method *const methods[];	/* ends with NULL */

extern const Method bpg_method;
extern const Method sequential_method;
extern const Method invariance_method;
extern const Method cor_split_method;
extern const Method m_distinct_method;
extern const Method global_method;

extern const Method *find_method(const char *name);

#endif							/* PPREPUB_METHOD_METHOD_H */

/*
 * method.h
 *		The only door to the methods: what one is, and the list of them.
 *
 * A method decides what a release shows; it does not store.  It gets a frame,
 * what it wants of the past, and its own parameters, and returns a draft: classes
 * with regions and members.  A method that finds nothing to publish returns a
 * draft without classes; one that shows every row or nothing says why not with an
 * error, of which only the owner will hear: such methods do not answer.
 *
 * Adding a method is a folder, method/NAME/, and a line in method/list.h.  What a
 * method needs of the database (tables that its parameters name, tables of releases
 * before) is in its method/NAME/sql/: see release/release.h.
 */
#ifndef PPREPUB_METHOD_METHOD_H
#define PPREPUB_METHOD_METHOD_H

#include "declare/method_declaration.h"
#include "history/past.h"
#include "partition/classes.h"
#include "partition/principle.h"
#include "partition/buckets.h"

typedef struct Draft Draft;
struct Draft
{
	Classes    *classes;

	/*
	 * People of a registry who dilute a class, though they have no row in it: rows of the frame that were not asked
	 * for.  NULL where there are none.
	 */
	uint64	   *first_counted;	/* [nclasses + 1] */
	RowId	   *counted;

	/*
	 * The values that rows show: the frame's, but of people whose new values are held back an older one.  NULL where
	 * all show their own.
	 */
	Code	   *shown;			/* [rows of the frame] */

	double		k;				/* the size that classes are measured against */
	Refusal		refusal;		/* why there is no class, of a method that shows every row or nothing */
	uint64		suppressed;		/* rows asked for and in no class */
	uint64		exhausted;		/* of these: nothing can hide their value any more */
	uint64		waiting;		/* of these: newcomers, or people who came back or moved, for whom no place was found */
	uint64		retired;		/* of these: people of groups that are not shown any more */
	uint64		hidden;			/* of these: people of parts that may not be shown, or not yet */
	uint64		dirty;			/* rows in classes that were not asked for */
	uint64		stale;			/* rows of people that show another value than that of today */
	uint64		stale_rows;		/* of people with several: shown and gone, or there and not shown; see release/build.c */

	/*
	 * Rows, invented ones too, of groups of the past of which not every place has a row of somebody who held it
	 * before: they show what was shown last, whatever their values are, so that this number may be told to all.
	 */
	uint64		unrefreshed;

	/*
	 * For methods that want places: NULL for all others, whose counterfeits stand for no place, and never come again.
	 * A class without a group of the past is a new group; its rows take its places in their order, and it has no
	 * counterfeits.
	 */
	uint32	   *group;			/* [nclasses] or NO_GROUP */
	uint64	   *place;			/* [rows of the frame] of the past, where the row is in a class of a group; else
								 * NO_PLACE */
	uint64	   *stands_in;		/* [counterfeits] the place of the past that each stands in for */
	bool	   *is_apart;		/* [places of the past] parted off by this draft from places that it shows; NULL where
								 * none is */
	double		cutting_seconds;	/* the rest of the time went into guarding the past */
};

typedef struct Method
{
	MethodDeclaration declaration;

	/*
	 * The promise of releases under these parameters for each set that they reveal; NULL where that is not theirs to
	 * promise.
	 */
	Principle	(*principle) (const int64 *params);

	/*
	 * Where only the rows asked for are in the frame: of which groups are rows of others needed, too?  Sets wanted[]
	 * and returns how many these are.  The frame has no quasi-identifiers yet.  NULL for methods that show what was
	 * asked for, or nothing.
	 */
	uint32		(*want_helpers) (const Frame *frame, const Past *past,
								 const int64 *params, bool *wanted);

	/*
	 * Drafts a release of the rows asked for.  Parameters come as method_declaration.h says.  The same frame,
	 * parameters and seed give the same draft; everything is allocated in the current context. NULL for methods that
	 * draft in SQL: see release/release.h.
	 */
	Draft	   *(*draft) (const Frame *frame, const Past *past,
						  const int64 *params, uint64 seed);

	/* Can releases to come be drafted one after the other in memory, from frames and places alone? */
	bool		can_be_foreseen;
} Method;

/* Has a frame show what a draft of it does. */
static inline void
frame_take_shown(Frame *frame, const Draft *draft)
{
	if (draft->shown != NULL)
		frame->sensitive = draft->shown;
}

/* Of a draft of groups, what it shows. */
static inline const ShownPlaces *
places_shown(const Draft *draft)
{
	ShownPlaces *showing = palloc(sizeof(ShownPlaces));

	*showing = (ShownPlaces) {draft->classes, draft->shown, draft->group, draft->place, draft->stands_in, draft->is_apart};
	return showing;
}

extern const Method *const methods[];	/* ends with NULL */

#define METHOD(name) extern const Method name##_method;
#define METHOD_WITH_SQL(name) extern const Method name##_method;
#include "method/list.h"

extern const Method *find_method(const char *name);

/* ----------------------------------------------------------------
 * A draft in the making: class after class (drafting.c)
 * ----------------------------------------------------------------
 */

typedef struct Drafting
{
	const Frame *frame;
	Draft	   *draft;
	uint64		nrows;			/* of the class at hand */
	uint64		ninvented;
	uint32		classes_allocated;
	uint64		counterfeits_allocated;
} Drafting;

/* In the current context, in which the draft stays; k: what classes are measured against. */
extern Drafting *drafting_create(const Frame *frame, double k);

/* Like drafting_create(), for methods that want places: the draft says of which group a class is, and where its rows sit. */
extern Drafting *drafting_create_of_groups(const Frame *frame, double k);

/* Into the class at hand. */
extern void drafting_add_rows(Drafting *drafting, const RowId *rows, uint64 n);

/* Adds n invented rows to the class at hand: returns where their values go. */
extern Code *drafting_invent(Drafting *drafting, uint64 n);

/* The class at hand is whole; region: its cells, or NULL for those that cover its rows.  Returns its number. */
extern uint32 drafting_end_class(Drafting *drafting, const Span *region);

#endif							/* PPREPUB_METHOD_METHOD_H */

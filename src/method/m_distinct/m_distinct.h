/*
 * m_distinct.h
 *		Structures that the steps of method m-distinct hand to each other.
 */
#ifndef PPREPUB_METHOD_M_DISTINCT_H
#define PPREPUB_METHOD_M_DISTINCT_H

#include "common/pg_prng.h"
#include "compat.h"
#include "frame/tuple_numbers.h"
#include "frame/update_sets.h"
#include "method/method.h"
#include "partition/set_making.h"

/* A set of values, by its number: sets that are equal have the same. */
typedef uint32 SetId;

#define NO_SET		PG_UINT32_MAX

/* Its values; gone when another set is made. */
typedef struct ValueSet
{
	const Code *value;			/* [n] ascending */
	Code		n;
} ValueSet;

/* All sets of a draft; the first are the candidate update sets of values. */
typedef struct Sets
{
	const Updates *updates;
	TupleNumbers *values;		/* [sets] ascending */
	SetId	   *of_value;		/* [values] the candidate update set of each, NO_SET where nothing was declared */
	uint32	   *component;		/* [values] see updates_components() */
	uint32		ncomponents;
} Sets;

static inline ValueSet
set_at(const Sets *sets, SetId set)
{
	return (ValueSet) {tuple_words(sets->values, set), tuple_width(sets->values, set)};
}

extern Sets *sets_create(const Updates *updates);
extern SetId set_find(Sets *sets, const Code *value, Code n);
extern SetId set_union(Sets *sets, SetId a, SetId b);
extern bool set_has(const Sets *sets, SetId set, Code value);

/* Of sets each of which updates connect: are the two of different components? */
extern bool sets_apart(const Sets *sets, SetId a, SetId b);

/*
 * Gives each set that has NO_CODE a value of its own; false if that cannot be
 * done.  Values that are there stay in use, though maybe by another set.
 */
extern bool represent(const Sets *sets, const SetId *set, uint32 n, Code *value);

/* People of one value in a bucket: a chain of rows. */
typedef struct Kind
{
	Code		value;
	uint32		count;
	RowId		head;
} Kind;

/* People who may be in groups with these entries. */
typedef struct Bucket
{
	/* Entries: equal ones are one, with a multiplicity */
	uint32		n;				/* rows of a group */
	uint32		nentries;
	SetId	   *set;			/* [nentries] ascending */
	uint32	   *multiplicity;	/* [nentries] */
	bool		is_mixed;		/* of people whose earlier classes tell them from others: see find_mixed() */
	bool		is_apart;		/* each entry is of another component, and it is not mixed */

	uint32		nkinds;
	uint32		kinds_allocated;
	Kind	   *kinds;
	uint64		rows;
	uint32		groups;			/* that it needs */
} Bucket;

typedef struct Distinct
{
	Making		making;			/* first: sets of rows, each of the signature that has the number of its bucket:
								 * entries ascending, equal ones repeated, NO_SET behind those of a mixed one.  Its
								 * frame shows components in the place of values */
	const Frame *frame;
	const Paths *paths;			/* or NULL before the first release */
	const bool *is_mixed;		/* [rows of the frame] or NULL if nobody is */
	uint32		m;
	bool		strict;

	Sets	   *sets;
	uint64	   *frequency;		/* [values] in the frame */

	uint32		nbuckets;
	uint32		buckets_allocated;
	Bucket	   *buckets;
	RowId	   *next;			/* [rows of the frame] the next one of its kind, or NO_ROW */

	RowId	   *newcomer;		/* those who are in no set yet */
	uint64		newcomers;
	bool		is_dealt;		/* have people who were published before been dealt anew? */
	uint32		widest;			/* rows of a set of theirs */

	/* Scratch */
	uint32	   *kind_of;		/* [values] of the bucket at hand */
} Distinct;

/* buckets.c */
extern uint32 bucket_find(Distinct *distinct, const SetId *slots, uint32 n, bool is_mixed);
extern void kind_push(Distinct *distinct, Kind *kind, RowId row);
extern Kind *add_kind(Bucket *bucket, Code value);

/*
 * returning.c: all people of the frame, those of a class together; buckets of those who are better dealt anew, which
 * make sets.
 */
extern void enter_people(Distinct *distinct);
extern void deal_anew(Distinct *distinct);
pg_noreturn extern void refuse_few_values(const Distinct *distinct);

/* Puts a row into a free cell of a set that has this entry; false if there is none. */
extern bool set_take(Distinct *distinct, uint64 set, SetId entry, RowId row);
extern bool set_shows(const Distinct *distinct, uint64 set, Code value);

/* How the rows of a bucket spread over its entries. */
typedef struct Placement
{
	const Sets *sets;
	const Bucket *bucket;		/* for its entries */
	uint32		groups;
	uint32		nkinds;			/* of the bucket that are placed */
	uint32	   *in;				/* [kinds * nentries] rows of each in each entry */
	uint64	   *filled;			/* [nentries] */

	/* Scratch for searches */
	uint32	   *queue;			/* [nentries] */
	uint32	   *came_from;		/* [nentries] */
	uint32	   *by_kind;		/* [nentries] */
} Placement;

extern Placement *place_bucket(const Distinct *distinct, const Bucket *bucket);

/* newcomers.c: first take places that are free and near; in the end all others find a set. */
extern void take_places(Distinct *distinct, bool is_dealt);
extern void add_newcomers(Distinct *distinct);

/* m_distinct.c: without anybody yet; and classes of all sets. */
extern Distinct *distinct_create(const Frame *frame, const Past *past, const int64 *params, uint64 seed);
extern Draft *draft_sets(Distinct *distinct, MemoryContext context);

#endif							/* PPREPUB_METHOD_M_DISTINCT_H */

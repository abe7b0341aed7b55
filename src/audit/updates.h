/*
 * updates.h
 *		Releases of values that change along declared updates (paper 002): are they m-distinct, judged from what they
 *		show, by code that trusts nothing of what made them, and what do observers conclude of each value?
 */
#ifndef PPREPUB_AUDIT_UPDATES_H
#define PPREPUB_AUDIT_UPDATES_H

#include "frame/update_sets.h"
#include "history/past.h"
#include "history/seen.h"
#include "partition/classes.h"

/* ----------------------------------------------------------------
 * Definitions 13 to 15 (updates_legal.c)
 *
 * A class is m-unique if it has at least m rows and no sensitive value twice.  The values of a class are a legal
 * update instance of those of an earlier one if each of these can have become one of them, and each of them one of
 * these, one by one: that is stronger than Definition 14, which leaves out who became what, and it is what an observer
 * can test.
 * ----------------------------------------------------------------
 */

/* A pairing of two lists of different values along updates, as large as there is one; returns how many pairs. */
extern Code count_updates(const Updates *updates, const Code *before, Code nbefore,
						  const Code *after, Code nafter);

extern bool is_legal_instance(const Updates *updates, const Code *before, Code nbefore,
							  const Code *after, Code nafter);

/*
 * The last check of a draft: an internal error if it has not all rows, is not m-unique, or no legal update instance of
 * a person's last class.  A person whose last class had fewer than m values is protected as far as they go: each must
 * find a value of its own or, under strict, the class stays as small.  Strict: no class shows values that updates
 * connect, but for people who are mixed (Past.is_mixed), and these are among themselves.
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
 * A class must have the m rows of its release and be a legal update instance by it.  Where m was raised, a class of
 * fewer leads to one of m, each value finding one of its own; under strict it stays as small, and nobody is new in it.
 */
extern Legality judge_seen(const Seen *seen, const Updates *updates, const DistinctPromise *promised);

/* ----------------------------------------------------------------
 * Strict: people who share classes, directly or through others, are among one value of each of the same families for
 * ever, a family being what updates connect.  So any two families can be exchanged in all their classes.
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

/* ----------------------------------------------------------------
 * The sensitive attribute update graph (Definitions 10 and 11; updates_risk.c) of people who were in the same classes:
 * what observers who know the declared updates can conclude about their values, then and now.
 *
 * A layer is a release that they were in; its nodes are the sensitive values of their class, weighed by how often each
 * occurs there.  An edge is an update that is possible from one layer to the next, weighed by its declared probability
 * or, where there is none, by one over the number of edges that leave its node.  Paths from the first layer to the
 * last are the lives that are possible.  The probability of a node is the weight of the paths through it, among all:
 * it is added up forwards and backwards over the layers, so that paths are never listed.  A node that no path goes
 * through is infeasible, and observers know that no person had that value then.
 * ----------------------------------------------------------------
 */

typedef struct Layer
{
	Code		n;
	Code	   *value;			/* [n] different ones; NO_CODE for NULL, of which nothing is known */
	double	   *weight;			/* [n] > 0 */

	/* The conclusion about each */
	double	   *probability;	/* [n] 0: infeasible */
} Layer;

typedef struct UpdateGraph UpdateGraph;

/* Allocated in the current context; updates are borrowed. */
extern UpdateGraph *graph_create(const Updates *updates);

/* A layer after those that there are; the arrays are copied. */
extern void graph_add_layer(UpdateGraph *graph, const Code *value, const double *weight, Code n);
extern void graph_clear(UpdateGraph *graph);

/*
 * Concludes from the first so many layers: probabilities of their nodes.  False when no life is possible at all, which
 * observers take for a sign that what they know is wrong: then each node has its weight in its layer.
 */
extern bool graph_conclude(UpdateGraph *graph, uint32 layers);

extern const Layer *graph_layer(const UpdateGraph *graph, uint32 layer);

/* How many nodes are feasible; and the probability of a value, 0 if it is none of the layer. */
extern uint32 layer_candidates(const Layer *layer);
extern double layer_risk(const Layer *layer, Code value);

/* A version of a person's row, as it looks from some moment (Definitions 8 and 9). */
typedef struct Version
{
	Individual	individual;
	int32		release;		/* that it was in, from 0 on */
	int32		seen_from;		/* the last release that observers knew, from 0 on */
	const Step *step;			/* [nsteps] of the individual, the last one in that release */
	uint32		nsteps;
	Code		value;			/* as published */
	uint32		candidates;		/* values that are still feasible */
	double		risk;			/* the probability of the true one */
} Version;

/*
 * Visits every version of the first so many individuals, the people, that was shown by a true row with a value; under
 * all releases or, with every_moment, under each number of them that adds to what is known of the person.  Each person
 * is followed alone.  Returns how many people had a life that cannot have been, by the updates.
 */
extern uint64 each_version(const Seen *seen, const Updates *updates, uint64 npeople, bool every_moment,
						   void (*visit) (void *what, const Version *version), void *what);

#endif							/* PPREPUB_AUDIT_UPDATES_H */

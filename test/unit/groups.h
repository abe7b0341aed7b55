/*
 * groups.h
 *		Random lives of small tables under groups of places, and an observer who knows the rules.
 *
 * A life keeps its own log: all that was shown, and who sat where.  The past that a method gets, and the history that
 * auditors see, are made of it.  Nothing is shared with src/.
 */
#ifndef PPREPUB_TEST_GROUPS_H
#define PPREPUB_TEST_GROUPS_H

#include "shim.h"

#include "history/seen.h"
#include "method/method.h"

#define MAX_PEOPLE		60
#define MAX_PLACES		100
#define MAX_GROUPS		20
#define MAX_CLASS		40
#define MAX_RELEASES	8
#define MAX_VALUES		6
#define NQIS			2
#define NCODES			12
#define NOBODY			(-1)

/* The order of bpg's parameters. */
enum
{
	AT_K, AT_L, AT_REPAIR, AT_RESERVE, AT_TIES, AT_LEAVES, AT_STRATA, AT_WEIGHTS, AT_MAX_ADDED,
	AT_PER_STATEMENT, AT_PER_ROLE, AT_PRINCIPLES, NPARAMS = AT_PRINCIPLES + NPRINCIPLE_PARAMS + 8
};

enum
{
	LIVES_TIES_WORLDS, LIVES_TIES_ALONE, LIVES_TIES_NONE
};

typedef struct Person
{
	bool		alive;
	Code		code[NQIS];
	Code		value;
	Code		shown_code[NQIS];	/* when a release showed the person last */
	int			nstays;
	int			stay[MAX_GROUPS];
	int			came[MAX_GROUPS];
	int			last[MAX_GROUPS];	/* the last release that showed the person there */
} Person;

typedef struct LoggedRow
{
	int			place;
	int			person;			/* or NOBODY */
	Code		value;
	bool		may_change;		/* whatever was shown before, as far as observers know */
} LoggedRow;

typedef struct LoggedClass
{
	int			group;
	bool		is_new;
	bool		is_full;		/* everybody sat there before */
	int			n;
	LoggedRow	row[MAX_CLASS];
} LoggedClass;

typedef struct LoggedRelease
{
	bool		is_whole;
	bool		shows_no_value;
	int			k;
	int			l;
	int			nclasses;
	LoggedClass class[MAX_GROUPS];
	bool		is_apart[MAX_PLACES];	/* parted off by it */
	int			stays_in[MAX_PEOPLE];	/* the group, from 1 on, in which a person who is there and has not moved holds a place */
} LoggedRelease;

typedef struct Life
{
	int			npeople;
	Person		person[MAX_PEOPLE];
	Code		nvalues;
	int			releases;
	LoggedRelease release[MAX_RELEASES];

	int			ngroups;
	int			first[MAX_GROUPS + 1];
	int			created[MAX_GROUPS];
	int			nepochs[MAX_GROUPS];
	int			since[MAX_GROUPS][MAX_RELEASES];
	Code		epoch[MAX_GROUPS][MAX_RELEASES][MAX_CLASS];
	int			holder[MAX_PLACES];
	bool		away[MAX_PLACES];
	int			part[MAX_PLACES];	/* the first place of its part, counted in the group */
	bool		apart[MAX_PLACES];	/* was it parted off, and is not shown since? */
	int			nlinks;
	Link		link[MAX_PEOPLE];

	/* Do values change only where observers expect it: see observe()? */
	bool		is_still;
	int			nties;

	int64		params[NPARAMS];
	Frame		frame;
	Domain		domain[NQIS];
	double		position[NCODES];
	uint64		frequency[NCODES];
	bool		asked[MAX_PEOPLE];
	int			nrows;
	int			person_of_row[MAX_PEOPLE];
	Past		past;
	Draft	   *draft;
} Life;

/* A draft as rows, to be spoiled: people's first. */
typedef struct OpenDraft
{
	int			nclasses;
	LoggedClass class[MAX_GROUPS];	/* place: of the past, or NOBODY */
	bool		is_apart[MAX_PLACES];
} OpenDraft;

typedef struct Settings
{
	int			k;
	int			l;
	int			values;
	int			releases;
	int			ties;
	double		reserve;
	double		frequency;		/* or 0 */
	int			skew;			/* percent of people with the first value */
	bool		is_still;		/* nobody's value changes while the person is away, or moves */
	bool		is_fixed;		/* values never change */
	bool		raises;			/* are k and l raised? */
	bool		is_dirty;		/* true rows only */
} Settings;

extern void seed_lives(uint64 seed);
extern uint32 draw_below(uint32 n);
extern bool draw_chance(int percent);

extern void life_begin(Life *life, const Settings *settings);
extern void life_pass_time(Life *life, const Settings *settings);

/* The rows of a release: of everybody, or of those in a cohort. */
extern void life_make_frame(Life *life, bool is_cohort);
extern Past *life_make_past(const Life *life);
extern void life_publish(Life *life, const Draft *draft);
extern void life_publish_open(Life *life, const OpenDraft *open);
extern Seen *life_seen(const Life *life);

/* For people who look for a fault. */
extern void show_class(const LoggedClass *class);
extern void show_life(const Life *life);

extern void draft_open(const Life *life, const Draft *draft, OpenDraft *open);
extern Draft *draft_close(const Life *life, const OpenDraft *open);

/* Why the judges of drafts refuse one, or NULL. */
extern const char *life_refusal(const Life *life, const Draft *draft);

/*
 * The observer.  Values change freely; or no more of them than releases force, and a person's value is the same at the next
 * place as it was at the last one.
 */
typedef struct Observed
{
	int			looked_at;		/* people in releases */
	int			poor;			/* with fewer than l values */
	int			few;			/* with fewer than k rows */
	int			sure;			/* some value likelier than the principle allows */
	int			weighed;		/* people in epochs, with the chances of all worlds */
	int			certain;		/* whose best guess is above nine in ten, and above what the class shows */
	int			no_world;
	int			undecided;
} Observed;

/* Did the life go as observers of the second kind suppose? */
extern bool is_as_supposed(const Life *life);

extern void observe(const Life *life, bool is_still, double frequency, Observed *observed);

/*
 * Which values a person can have had in each release, a bit each, for the second kind of observers, who may know some people's
 * values.  False if that takes too long.
 */
extern bool find_possible_values(const Life *life, const bool *is_known, uint32 possible[MAX_PEOPLE][MAX_RELEASES]);

#endif							/* PPREPUB_TEST_GROUPS_H */

/*
 * release_join.h
 *		Joining releases of a publication, and judging the join.
 */
#ifndef PPREPUB_REPORT_LINKABILITY_RELEASE_JOIN_H
#define PPREPUB_REPORT_LINKABILITY_RELEASE_JOIN_H

#include "postgres.h"

#include "audit/join/join.h"
#include "report/linkability/people.h"

typedef enum JoinLevel
{
	LEVEL_MATCH,
	LEVEL_KERNEL,
	LEVEL_FULL
} JoinLevel;

typedef struct JoinKind
{
	const char *name;
	JoinLevel	level;
	bool		unifying;		/* absentees may be anybody */
} JoinKind;

extern const JoinKind *join_kind_argument(FunctionCallInfo fcinfo, int n);

/*
 * The releases that an argument names, ascending, or all; of a publication that has none, and
 * is asked for all, none.
 */
extern int32 *releases_argument(FunctionCallInfo fcinfo, int argument, const DeclaredPublication *publication, int32 *n);

/* All releases, ascending. */
extern int32 *all_releases(const DeclaredPublication *publication, int32 *n);

/* Releases, read once; and the source beside them. */
typedef struct JoinData
{
	const DeclaredPublication *publication;
	Reading    *reading;
	Source	   *source;
	bool		is_guess;
} JoinData;

/*
 * Called as the owner, inside SPI, under the active snapshot; in the current context.  Of several sensitive columns
 * one is judged, from 0 on.
 */
extern JoinData *read_join_data(const DeclaredPublication *publication, const int32 *numbers, int32 n, int sensitive);

/* The number of the publication's sensitive columns: each is judged by a join of its own. */
extern int	count_sensitive(const DeclaredPublication *publication);

/* A join of the first n of them. */
typedef struct ReleaseJoin
{
	const JoinData *data;
	int32		nreleases;
	People	   *people;
	JoinGraph  *graph;
	uint64		edges;			/* of records, before the join was narrowed */
	SourceTuples *tuples;
	JoinTuples	join_tuples;
} ReleaseJoin;

extern ReleaseJoin *join_first(const JoinData *data, int32 n, const JoinKind *kind);

/* NULL if no release shows the sensitive column. */
extern LinkProfile *profile_of(const ReleaseJoin *join, bool with_values);

/* The values of the judged column that a tuple of quasi-identifiers is linked to. */
typedef struct TupleLinks
{
	bool		is_linked;		/* or in no release */
	uint32		linkability;
	double		diversity;
	uint32		n;
	const Code *value;			/* [n] of the column */
	double	   *figure;			/* [n] frequencies */
	double		total;			/* of them, where they were joined */
} TupleLinks;

/* Of a profile, which is NULL if no release shows the column, and has values if there are several columns. */
extern TupleLinks links_of_tuple(const ReleaseJoin *join, const LinkProfile *profile, uint32 tuple);

#endif							/* PPREPUB_REPORT_LINKABILITY_RELEASE_JOIN_H */

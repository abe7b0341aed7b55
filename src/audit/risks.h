/*
 * risks.h
 *		One release by itself: how likely its people are found again, by who knows
 *		their quasi-identifiers, as the textbooks count it.
 */
#ifndef PPREPUB_AUDIT_RISKS_H
#define PPREPUB_AUDIT_RISKS_H

#include "postgres.h"

#include "audit/population.h"

/* Rows of a release that show equal cells: nobody can tell them apart by these. */
typedef struct RiskClass
{
	uint64		rows;			/* as observers count them: without invented rows where these are told */
	uint64		people;			/* true rows among them */
	uint64		registered;		/* people of a registry who lie in the cells */
} RiskClass;

typedef struct RiskQuestion
{
	double		threshold;		/* a risk above it is too high */
	uint64		population;		/* people whom the release could be about; 0 if not known */
	bool		has_registry;
} RiskQuestion;

/* Risks of people. A figure that cannot be had is a NaN. */
typedef struct PeopleAtRisk
{
	double		highest;
	double		average;
	uint64		above;			/* people above the threshold */
	double		share_above;
} PeopleAtRisk;

typedef struct ClassRisks
{
	uint64		rows;
	uint64		people;
	uint32		classes;
	uint64		smallest;		/* rows of a class */
	double		median;
	uint64		largest;
	uint64		alone;			/* people in a class of one row */
	double		separation;		/* the share of pairs of rows whose cells differ */
	double		distinction;	/* the share of distinct cells among rows */
	SizeCounts	sizes;			/* the distribution behind all this */

	/* Observers who know that somebody is in the release, and those of them who can tell invented rows */
	PeopleAtRisk prosecutor;
	double		highest_among_people;

	/* Observers who do not know; by the registry, or else by the size of the population */
	PeopleAtRisk journalist;

	/* Observers who link everybody: the share of people whom they link rightly */
	double		marketer;

	/* By a registry */
	uint64		unregistered;	/* people at least whom the registry lacks */
	uint64		alone_in_registry;	/* people alone in their class whose cells hold one of the registry at most */

	/* By the size of the population */
	bool		is_fitted;		/* does the model fit, and know how many are alone in the release? */
	Pitman		pitman;
	double		population_alone;	/* people of the population who are alone in it */
	double		people_alone;	/* of them, those of the release */
	double		expected_alone; /* rows that the model expects to be alone in the release: compare with those that are */
} ClassRisks;

/* In the current context. */
extern ClassRisks *measure_risks(const RiskClass *class, uint32 n, const RiskQuestion *question);

/* A figure under the name that SQL knows it by, with what it says. */
typedef struct NamedRisk
{
	const char *name;
	double		value;			/* NaN where it is not known */
	const char *meaning;
} NamedRisk;

/* All figures, in their order; returns how many. */
extern int	list_risks(const ClassRisks *risks, const RiskQuestion *question, NamedRisk **list);

#endif							/* PPREPUB_AUDIT_RISKS_H */

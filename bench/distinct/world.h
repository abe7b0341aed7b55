/*
 * world.h
 *		People whose rows come, go and change as in section VI of the paper, and
 *		what observers have seen of them.
 */
#ifndef PPREPUB_BENCH_WORLD_H
#define PPREPUB_BENCH_WORLD_H

#include "postgres.h"

#include "frame/update_sets.h"
#include "history/past.h"
#include "partition/classes.h"

#define WORLD_QIS		4
#define OCCUPATIONS		50
#define NO_PLACE_YET	PG_UINT64_MAX

/* Figures of section VI.A; Table VII says what the attributes are. */
typedef struct Setup
{
	uint32		people;			/* at first */
	uint32		leave;			/* from release to release */
	uint32		come;
	uint32		change;			/* occupations that do */
	Code		diameter;		/* that one can become, itself included */
	bool		rises;			/* only to occupations behind it: sets that contain each other */
	uint32		m;
	bool		strict;
	int32		rounds;
} Setup;

typedef struct World
{
	Setup		setup;
	Updates    *updates;
	uint64		random;
	uint32		pool;			/* people who will ever be */
	uint32		next;			/* the next one to come */
	uint8	   *code[WORLD_QIS];	/* [pool] */
	uint8	   *value;			/* [pool] */

	/* Rows of the release at hand */
	Frame		frame;
	Domain		domain[WORLD_QIS];
	double		position[WORLD_QIS][128];
	uint32	   *person;			/* [rows] */
} World;

extern World *world_create(const Setup *setup);
extern void world_free(World *world);

/* The frame of whoever is there. */
extern void world_look(World *world);

/* Some leave, some come, everybody gets older, some change. */
extern void world_pass_time(World *world);

/* A number below n. */
extern uint32 world_draw(World *world, uint32 n);

/* All classes that a publisher has seen, and where people were. */
typedef struct SeenWorld
{
	uint32		pool;
	int32		rounds;			/* of which places are kept */
	int32		releases;
	uint64		nclasses;
	uint64		allocated_classes;
	uint64	   *first;			/* [nclasses + 1] */
	Code	   *value;			/* [first[nclasses]] */
	uint64		allocated_values;
	uint64	   *last_class;		/* [pool] or NO_PLACE_YET */
	uint8	   *last_value;		/* [pool] */

	/* Where it is asked for: all of their classes */
	uint32	   *class_in;		/* [rounds][pool] or NO_CLASS_THEN */
	uint8	   *value_in;		/* [rounds][pool] */
} SeenWorld;

#define NO_CLASS_THEN	PG_UINT32_MAX

extern SeenWorld *seen_world_create(const World *world, bool keep_all);
extern void seen_world_free(SeenWorld *seen);

/* Knowledge of a method about the rows of the frame; in the current context. */
extern Paths *seen_paths(const SeenWorld *seen, const World *world);
extern void seen_add(SeenWorld *seen, const World *world, const Classes *classes);

/*
 * Of all versions of everybody, how many have one candidate left?  (Figure 3)
 */
extern uint64 count_vulnerable(const SeenWorld *seen, const World *world, uint64 *versions);

/* queries.c: the median error of counting queries that cover a share of each domain (section VI.C.1). */
extern double query_error(const World *world, const Classes *classes, double share, uint32 queries);

#endif							/* PPREPUB_BENCH_WORLD_H */

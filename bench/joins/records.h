/*
 * records.h
 *		The paper's algorithms, record by record: what ours are compared with.
 */
#ifndef PPREPUB_BENCH_JOINS_RECORDS_H
#define PPREPUB_BENCH_JOINS_RECORDS_H

#include "audit/join/join.h"

typedef struct RecordFigures
{
	uint64		edges;			/* of the consistency graph */
	uint64		matches;		/* of the kernel */
	uint64		cliques;
	uint32		linkability;
	double		diversity;
} RecordFigures;

/*
 * The kernel match join of releases whose record i is person person[i]'s, and what it links tuples
 * to: consistency of all pairs of records, matches by strongly connected components, cliques by
 * extending those of one release less by every record (algorithm 1 of paper 000), in turns until
 * nothing changes (theorem 3.7), and then every clique for every tuple (definition 4.2).
 */
extern RecordFigures judge_records(const JoinInput *input, const JoinTuples *tuples);

#endif							/* PPREPUB_BENCH_JOINS_RECORDS_H */

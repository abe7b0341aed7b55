/*
 * joint.h
 *		What observers conclude who follow everybody at once, and not each person
 *		by himself.
 *
 * A joint world gives everybody, in each release that he was in, a value of his
 * class, so that no value has more people of a class than rows that show it
 * (what is left of these was invented), and so that everybody's value can have
 * become that of his next release.  A candidate is a value that somebody has in
 * some such world: there are as many as the update graph finds of him alone, or
 * fewer.  Whether there is a world is NP-hard to say in general, so people who
 * hang together by too many classes get no answer.
 */
#ifndef PPREPUB_AUDIT_UPDATE_JOINT_H
#define PPREPUB_AUDIT_UPDATE_JOINT_H

#include "frame/updates.h"
#include "history/statistics.h"

#define NOT_KNOWN PG_UINT32_MAX

/*
 * The candidates of each step of the first so many threads, the people, or
 * NOT_KNOWN: where they were not found in so many steps of a search, which go to
 * those first who hang together with few others, or where what was published
 * is no such world itself.
 */
extern uint32 *joint_candidates(const Statistics *statistics, const Updates *updates, uint64 npeople, uint64 budget);

#endif							/* PPREPUB_AUDIT_UPDATE_JOINT_H */

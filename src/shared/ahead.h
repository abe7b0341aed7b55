/*
 * ahead.h
 *		How many rows ahead memory that is read at random is fetched.
 *
 * The rows of a class lie anywhere in the columns of a frame, so each read of
 * a large frame waits for memory.  A loop that knows its next rows has them
 * fetched meanwhile: it takes half the time.
 */
#ifndef PPREPUB_SHARED_AHEAD_H
#define PPREPUB_SHARED_AHEAD_H

#define ROWS_AHEAD	16

#endif							/* PPREPUB_SHARED_AHEAD_H */

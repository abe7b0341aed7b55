/*
 * shim.h
 *		What a pure room needs of the server, so that it can be linked, run and
 *		sanitized without one; and a few words to write tests in.
 *
 * A test program is a list of test functions, run by run_tests(), that speaks
 * TAP.  All that a test allocates belongs to a memory context that is deleted
 * after it, so a sanitizer sees every use after the end of a context's life.
 */
#ifndef PPREPUB_TEST_SHIM_H
#define PPREPUB_TEST_SHIM_H

#include "postgres.h"

#include <setjmp.h>
#include <stdio.h>

#include "miscadmin.h"
#include "utils/memutils.h"

typedef void (*TestFunction) (void);

typedef struct Test
{
	const char *name;
	TestFunction function;
} Test;

/* Runs every test, prints TAP, returns the program's exit status. */
extern int	run_tests(const Test *tests, int ntests);

/* A program that does so. */
#define RUN(tests) \
	int main(void) { return run_tests(tests, lengthof(tests)); }

/* One assertion; a failed one is reported with its place, and the test goes on. */
#define check(condition) \
	check_at((condition), #condition, __FILE__, __LINE__)
#define check_near(a, b) \
	check_near_at((a), (b), #a " is " #b, __FILE__, __LINE__)
extern void check_at(bool condition, const char *text, const char *file, int line);
extern void check_near_at(double a, double b, const char *text, const char *file, int line);

/* Runs a function that must raise an error; returns its message, or NULL. */
extern const char *error_of(TestFunction function);

/* The code that the last error gave itself. */
extern int	shim_sqlerrcode;

/* How many of so many random instances are tried: a tenth, unless PPREPUB_TEST_EFFORT is "full". */
extern int	some_of(int n);

/* A number below n; the same ones in each run of a program. */
extern uint32 any_below(uint32 n);

/* Bytes that palloc and its kin have handed out and not had back, and the most ever. */
extern uint64 shim_allocated;
extern uint64 shim_allocated_peak;

/* What fresh memory is full of, if it is to be filled: a byte, or -1. */
extern int	shim_noise;

#endif							/* PPREPUB_TEST_SHIM_H */

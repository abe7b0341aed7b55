/*
 * identify.h
 *		Whose the rows of releases are.
 */
#ifndef PPREPUB_REPORT_LINKABILITY_IDENTIFY_H
#define PPREPUB_REPORT_LINKABILITY_IDENTIFY_H

#include "postgres.h"

#include "report/linkability/reading.h"
#include "report/linkability/source.h"

/*
 * Gives each row of a table that has classes to a member of its class who had
 * its sensitive value, and leaves out the rows of those who were invented.
 *
 * Rows of a class that show the same value differ in insensitive columns at
 * most.  Where these are compared, who has the values in the source now gets
 * such a row, and for the rest it is a guess: returns whether it is.
 */
extern bool identify_rows(Reading *reading, const Source *source);

#endif							/* PPREPUB_REPORT_LINKABILITY_IDENTIFY_H */

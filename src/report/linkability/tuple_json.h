/*
 * tuple_json.h
 *		Tuples of quasi-identifiers, and the sensitive values that they are linked
 *		to, as JSON.
 */
#ifndef PPREPUB_REPORT_LINKABILITY_TUPLE_JSON_H
#define PPREPUB_REPORT_LINKABILITY_TUPLE_JSON_H

#include "postgres.h"
#include "report/linkability/release_join.h"


typedef struct TuplePrinter TuplePrinter;

extern TuplePrinter *tuple_printer(const JoinData *data);

/* The quasi-identifiers of a row of the source, by their names. */
extern Datum tuple_json(TuplePrinter *printer, uint32 row);

/* Values with a figure each, the greatest first; the value that is not shown is null. */
extern Datum values_json(TuplePrinter *printer, const Code *value, const double *figure, uint32 n, const char *name);

#endif							/* PPREPUB_REPORT_LINKABILITY_TUPLE_JSON_H */

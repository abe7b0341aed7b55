/*
 * tuple_json.h
 *		Tuples of quasi-identifiers, and the sensitive values that they are linked
 *		to, as JSON.
 */
#ifndef PPREPUB_REPORT_LINKABILITY_TUPLE_JSON_H
#define PPREPUB_REPORT_LINKABILITY_TUPLE_JSON_H

#include "postgres.h"

#include "declare/string_map.h"
#include "report/linkability/release_join.h"


typedef struct TuplePrinter TuplePrinter;

extern TuplePrinter *tuple_printer(const JoinData *data);

/* The quasi-identifiers of a row of the source, by their names. */
extern Datum tuple_json(TuplePrinter *printer, uint32 row);

/* Tuples of the source by their quasi-identifiers: each sensitive column's join reads them in an order of its own. */
typedef struct string_map_hash TupleIndex;

extern TupleIndex *index_tuples(TuplePrinter *printer, const SourceTuples *tuples);
extern uint32 find_tuple(const TupleIndex *index, Datum tuple);

/* Values of the judged column with their frequencies, the greatest first; the value that is not shown is null. */
extern Datum values_json(TuplePrinter *printer, const TupleLinks *links);

/* Findings about each sensitive column, 0 for null: by its name, if there are several. */
extern Datum columns_json(const DeclaredPublication *publication, const Datum *columns);

#endif							/* PPREPUB_REPORT_LINKABILITY_TUPLE_JSON_H */

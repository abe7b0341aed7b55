/*
 * print.h
 *		Cells as the typed values that a release shows, and such values read back
 *		as cells.
 */
#ifndef PPREPUB_FRAME_PRINT_H
#define PPREPUB_FRAME_PRINT_H

#include "frame/coding.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"

/* The cell of a column as a value of printed_type(); *isnull for the cell of NULL alone. */
extern Datum print_cell(const Coding *coding, Span cell, bool *isnull);

/* Is the cell printed as withheld?  A cell that covers all values of a cohort is printed, unless it covers NULL, too. */
extern bool is_withheld(const Coding *coding, Span cell);

/* The withheld cell of a column, printed. */
extern Datum print_withheld(const DeclaredColumn *column);

/* Has the ends of a release's ranges rounded from now on: [codes] are true where one begins or ends. */
extern void round_ends(Coding *coding, const bool *is_end);

/*
 * The range type in which values of a type are printed, and a value as a bound of such a range, which is infinite at the
 * end of the type's own values.
 */
extern TypeCacheEntry *range_over(Oid type);
extern RangeBound bound_of(Oid type, Datum value, bool lower);

/* The lower bound of the values behind a range: it includes the value of the upper bound if the range excludes it. */
static inline RangeBound
bound_behind(RangeBound upper)
{
	upper.lower = true;
	upper.inclusive = !upper.inclusive;
	return upper;
}

/* ---- Printed cells read back, to judge releases against the source as it is now ---- */

typedef struct CellReader CellReader;

/* Makes a reader of one column's cells. */
extern CellReader *cell_reader(const Coding *coding);

/*
 * Sets *codes to the codes that the cell covers.  Returns false if it covers none, as it may where values have left the
 * source.
 */
extern bool cell_codes(const CellReader *reader, Datum cell, bool isnull, Span *codes);

#endif							/* PPREPUB_FRAME_PRINT_H */

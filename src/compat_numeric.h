/*
 * compat_numeric.h
 *		utils/numeric.h, with the functions that it had until PostgreSQL 18.  See compat.h.
 */
#ifndef PPREPUB_COMPAT_NUMERIC_H
#define PPREPUB_COMPAT_NUMERIC_H

#include "postgres.h"

#include "utils/numeric.h"
#if PG_VERSION_NUM >= 190000
#include "nodes/miscnodes.h"

/* Sets *failed if the numbers have no such result; it may have been set before. */
static inline Numeric
numeric_or_failed(Numeric (*function) (Numeric, Numeric, Node *), Numeric a, Numeric b, bool *failed)
{
	ErrorSaveContext context = {.type = T_ErrorSaveContext};
	Numeric		result = function(a, b, (Node *) &context);

	*failed |= context.error_occurred;
	return result;
}

#define numeric_add_opt_error(a, b, failed) numeric_or_failed(numeric_add_safe, a, b, failed)
#define numeric_sub_opt_error(a, b, failed) numeric_or_failed(numeric_sub_safe, a, b, failed)
#define numeric_mod_opt_error(a, b, failed) numeric_or_failed(numeric_mod_safe, a, b, failed)
#endif

#endif							/* PPREPUB_COMPAT_NUMERIC_H */

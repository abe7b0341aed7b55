/*
 * bounds.h
 *		The least and the greatest value of a group's column.
 *
 * A group need not be read if no value of a condition lies in its bounds.  Only
 * types of PostgreSQL's own are compared, by code that can neither fail nor run
 * a user's function: groups are written at the end of a transaction, too.
 *
 * Text is compared byte by byte, whatever its collation: that decides equality
 * (of deterministic collations), and order where the collation is "C".
 */
#ifndef PPREPUB_STORE_BOUNDS_H
#define PPREPUB_STORE_BOUNDS_H

#include "postgres.h"

#include "access/stratnum.h"

/* The order of a type's values. The numbers are stored. */
typedef enum Order
{
	ORDER_NONE = 0,
	ORDER_INTEGER = 1,			/* as int64: smallint to bigint, date, time, timestamps */
	ORDER_UNSIGNED = 2,			/* oid, boolean */
	ORDER_FLOAT4 = 3,
	ORDER_FLOAT8 = 4,
	ORDER_NUMERIC = 5,
	ORDER_UUID = 6,
	ORDER_TEXT = 7				/* byte by byte */
} Order;

#define ORDER_LAST ORDER_TEXT

/* The order of a type, or of the type under a domain. */
extern Order order_of_type(Oid type);

/* Longer values than this are not kept as bounds. */
#define BOUND_BYTES 64

/* For an order with values by reference: how many bytes one has; 0 if it is too long. */
extern Size bound_length(Order order, Datum value);
extern bool bound_is_by_reference(Order order);

/* Are these bytes, read from somewhere, such a value?  Comparing others would read beyond them. */
extern bool bound_is_sound(Order order, const char *bytes, Size length);

extern int	compare_in_order(Order order, Datum a, Datum b);

/* The least and greatest of the values that are not NULL; false if there is none. */
extern bool find_bounds(Order order, const Datum *values, const bool *nulls, uint32 nrows,
						Datum *least, Datum *greatest);

/* Can a value between the bounds be <, <=, =, >= or > than the given one? */
extern bool bounds_may_hold(Order order, Datum least, Datum greatest, StrategyNumber strategy, Datum value);

/* Are all values between the bounds <, <=, =, >= or > than the given one? */
extern bool bounds_must_hold(Order order, Datum least, Datum greatest, StrategyNumber strategy, Datum value);

#endif							/* PPREPUB_STORE_BOUNDS_H */

/*
 * shares.c
 *		Shares of values, and their places where they have an order.
 *
 * NOTES
 *		The places of values are their ranks among those of the first distribution, from 0
 *		to 1.  A value that it lacks lies halfway between its neighbors, or with the last one,
 *		so that no place moves when others come.
 */
#include "frame/shares.h"

#include "catalog/pg_type.h"
#include "frame/arrays.h"
#include "frame/dictionary.h"
#include "utils/lsyscache.h"

bool
has_places(const DeclaredColumn *column)
{
	if (has_bands(column))
		return column->level == 0;
	switch (getBaseType(column->type))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case CASHOID:
		case DATEOID:
		case TIMEOID:
		case TIMETZOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
			return true;
		default:
			return false;
	}
}

/* The place of a value of the distribution, which has so many below it, or of one that it lacks. */
static double
place_at(Code below, Code all, bool is_given)
{
	if (all == 1)
		return is_given ? 0.5 : below;
	if (is_given)
		return (double) below / (all - 1);
	return below == 0 ? 0 : below == all ? 1 : (below - 0.5) / (all - 1);
}

/* The places of all codes of an aspect; NULL where the distribution has none of its values. */
static double *
places_of(const JudgedValues *judged, const bool *is_given)
{
	Dictionary *dictionary = dictionary_create(judged->type);
	uint32	   *number = new_array(uint32, judged->ncodes);
	double	   *place = new_array(double, judged->ncodes);
	Code		nranks;
	Code	   *rank;
	bool	   *is_rank_given;
	Code		all = 0;
	Code		below = 0;

	for (Code code = 0; code < judged->ncodes; code++)
		number[code] = dictionary_number(dictionary, judged->values[code], false);
	rank = dictionary_codes_in_order(dictionary, judged->collation, &nranks);
	is_rank_given = new_zeros(bool, nranks);
	for (Code code = 0; code < judged->ncodes; code++)
		is_rank_given[rank[number[code]]] |= is_given[code];
	for (Code r = 0; r < nranks; r++)
		all += is_rank_given[r];
	if (all > 0)
	{
		double	   *place_of_rank = new_array(double, nranks);

		for (Code r = 0; r < nranks; r++)
		{
			place_of_rank[r] = place_at(below, all, is_rank_given[r]);
			below += is_rank_given[r];
		}
		for (Code code = 0; code < judged->ncodes; code++)
			place[code] = place_of_rank[rank[number[code]]];
	}
	return all == 0 ? NULL : place;
}

/* Marks the codes of an aspect that the first release found which found any. */
static bool *
codes_of_first(const Aspect *aspect, const double *share, const int32 *since, Code n)
{
	bool	   *is_given = new_zeros(bool, aspect->ncodes);
	int32		first = PG_INT32_MAX;

	for (Code value = 0; value < n; value++)
		if (share[value] > 0 && (aspect->code == NULL || aspect->code[value] != NO_CODE))
			first = Min(first, since[value]);
	for (Code value = 0; value < n; value++)
	{
		Code		code = aspect->code == NULL ? value : aspect->code[value];

		if (code != NO_CODE && share[value] > 0 && since[value] == first)
			is_given[code] = true;
	}
	return is_given;
}

const Aspects *
aspects_with_shares(const SensitiveColumns *columns, const double *share, const int32 *since, Code n)
{
	Aspects    *aspects = palloc0(sizeof(Aspects));
	Aspect	   *aspect = palloc0(sizeof(Aspect) * columns->n);

	for (int c = 0; c < columns->n; c++)
	{
		const SensitiveColumn *column = &columns->column[c];

		aspect[c] = columns->aspects != NULL ? columns->aspects->aspect[c] :
			(Aspect) {.name = column->column->name, .ncodes = n};
		if (has_places(column->column))
			aspect[c].place = places_of(&column->judged, codes_of_first(&aspect[c], share, since, n));
	}
	*aspects = (Aspects) {.n = columns->n, .nvalues = n, .aspect = aspect, .share = share, .since = since};
	return aspects;
}

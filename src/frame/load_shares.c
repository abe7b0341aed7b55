/*
 * load_shares.c
 *		The distribution that the people of a load are compared with.
 */
#include "frame/load_private.h"

#include "frame/arrays.h"
#include "frame/dictionary.h"
#include "miscadmin.h"

void
load_shares(FrameLoad *load, const Shares *shares)
{
	MemoryContext old = MemoryContextSwitchTo(load->context);
	bool	   *nulls = new_zeros(bool, shares->n);

	load->shares = shares;
	load->share_number = new_array(uint32, shares->n);
	load_sensitive_numbers(load, shares->values, nulls, load->share_number, shares->n);
	pfree(nulls);
	MemoryContextSwitchTo(old);
}

const Aspects *
load_aspects(const FrameLoad *load, const SensitiveColumns *columns, const Code *code, Code n)
{
	const Shares *shares = load->shares;
	double	   *share;
	int32	   *since;

	if (shares == NULL)
		return columns->aspects;
	share = new_zeros(double, n);
	since = new_zeros(int32, n);
	for (uint32 i = 0; i < shares->n; i++)
	{
		share[code[load->share_number[i]]] = shares->share[i];
		since[code[load->share_number[i]]] = shares->since[i];
	}
	return aspects_with_shares(columns, share, since, n);
}

ValuePeople
load_count_people(const FrameLoad *load)
{
	const LoadingColumn *column = load_sensitive_column(load);
	ValuePeople counts = {0};
	const Code *code = dictionary_merge_equal(column->dictionary, column->column->collation, &counts.n, &counts.values);

	counts.people = new_zeros(uint64, counts.n);
	for (uint64 row = 0; row < load->nrows; row++)
	{
		Code		value = code[column->number[row]];

		if (row % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (value == NO_CODE)
			continue;
		counts.people[value]++;
		counts.known++;
	}
	return counts;
}

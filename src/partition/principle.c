/*
 * principle.c
 *		k-anonymity and distinct l-diversity, and tallies of sensitive values.
 *
 * NOTES
 *		l = 1 asks for nothing: a set in which no row has a sensitive value
 *		(all are NULL) tells nothing, and k alone protects it.  From l = 2 on a
 *		NULL helps no one.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "partition/principle.h"

static bool
allows_k_l(const Principle *self, const Tally *set)
{
	return set->rows >= self->k && (self->l <= 1 || set->values >= self->l);
}

Principle
principle_k_l(uint64 k, uint32 l)
{
	return (Principle) {allows_k_l, k, l};
}

Principle
principle_weaker(const Principle *a, const Principle *b)
{
	return principle_k_l(Min(a->k, b->k), Min(a->l, b->l));
}

Tally *
tally_create(const Frame *frame)
{
	Tally	   *tally = palloc(sizeof(Tally));

	tally->count = new_array(uint32, frame->nsensitive);
	tally_clear(tally, frame);
	return tally;
}

void
tally_clear(Tally *tally, const Frame *frame)
{
	tally->rows = 0;
	tally->values = 0;
	memset(tally->count, 0, sizeof(uint32) * frame->nsensitive);
}

/*
 * atoms_from_log.c
 *		Atoms as neighborhoods.
 */
#include "check/atoms_from_log.h"

#include "frame/arrays.h"
#include "miscadmin.h"

typedef struct Shown
{
	uint32		atom;
	Code		value;
} Shown;

static int
compare_shown(const void *a, const void *b)
{
	const Shown *x = a;
	const Shown *y = b;

	if (x->atom != y->atom)
		return x->atom < y->atom ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

/* An atom is in one class of a release, or in none. */
static void
count_values_of_class(const SeenRelease *release, uint32 c, const Atoms *atoms, Shown *shown, KnownNeighborhood *known)
{
	uint64		first = release->first[c];
	uint64		size = seen_size(release, c);

	for (uint64 i = 0; i < size; i++)
		shown[i] = (Shown) {atoms->atom[release->thread[first + i]], release->value[first + i]};
	qsort(shown, size, sizeof(Shown), compare_shown);
	for (uint64 i = 0; i < size;)
	{
		KnownNeighborhood *of = &known[shown[i].atom];
		uint64		begin = i;
		int64		different = 0;

		for (; i < size && shown[i].atom == shown[begin].atom; i++)
			different += shown[i].value != NO_CODE && (i == begin || shown[i].value != shown[i - 1].value);
		of->sensitive_values = Min(of->sensitive_values, different);
	}
}

static void
count_values(const Seen *seen, const Atoms *atoms, KnownNeighborhood *known)
{
	uint64		largest = 0;
	Shown	   *shown;

	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
			largest = Max(largest, seen_size(&seen->release[r], c));
	shown = new_array(Shown, largest);
	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
		{
			CHECK_FOR_INTERRUPTS();
			count_values_of_class(&seen->release[r], c, atoms, shown, known);
		}
	pfree(shown);
}

KnownNeighborhood *
neighborhoods_of_log(const Seen *seen, const Atoms *atoms, uint64 *n)
{
	KnownNeighborhood *known = new_array(KnownNeighborhood, atoms->natoms);

	for (uint32 a = 0; a < atoms->natoms; a++)
		known[a] = (KnownNeighborhood) {
			.number = (int64) a + 1,
			.records = atoms->size[a],
			.sensitive_values = atoms->size[a],
		};
	for (uint64 t = seen->nthreads; t-- > 0;)
		known[atoms->atom[t]].member = t;
	count_values(seen, atoms, known);
	*n = atoms->natoms;
	return known;
}

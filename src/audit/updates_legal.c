/*
 * updates_legal.c
 *		Judging by Definitions 13 to 15.
 *
 * NOTES
 *		Pairings are found by augmenting paths (Kuhn), after each value was paired with itself where it is in both
 *		classes, which most of them are.
 */
#include "postgres.h"

#include "audit/judge_draft.h"
#include "audit/updates.h"
#include "frame/arrays.h"
#include "frame/domain.h"
#include "miscadmin.h"
#include "utils/memutils.h"

typedef struct Pairing
{
	const Updates *updates;
	const Code *before;
	const Code *after;
	Code		nbefore;
	Code		nafter;
	Code	   *partner;		/* [nafter] a place in before, or NO_CODE */
	Code	   *partner_of;		/* [nbefore] the same the other way round, where there is one */

	/* A search */
	Code	   *reached_from;	/* [nafter] a place in before, or NO_CODE */
	Code	   *waiting;		/* [nafter + 1] places in before */
} Pairing;

/* Not by recursion: all values of a class, which may be large, may have to change their partners for one. */
static bool
find_partner(Pairing *pairing, Code start)
{
	Code		head = 0;
	Code		tail = 0;

	memset(pairing->reached_from, 0xff, sizeof(Code) * pairing->nafter);	/* NO_CODE */
	pairing->waiting[tail++] = start;
	while (head < tail)
	{
		Code		i = pairing->waiting[head++];

		CHECK_FOR_INTERRUPTS();
		for (Code j = 0; j < pairing->nafter; j++)
		{
			if (pairing->reached_from[j] != NO_CODE || !updates_allow(pairing->updates, pairing->before[i], pairing->after[j]))
				continue;
			pairing->reached_from[j] = i;
			if (pairing->partner[j] == NO_CODE)
			{
				/* Each value on the way back gets the one that its way led over */
				for (;;)
				{
					Code		from = pairing->reached_from[j];
					Code		before = pairing->partner_of[from];

					pairing->partner[j] = from;
					pairing->partner_of[from] = j;
					if (from == start)
						return true;
					j = before;
				}
			}
			pairing->waiting[tail++] = pairing->partner[j];
		}
	}
	return false;
}

Code
count_updates(const Updates *updates, const Code *before, Code nbefore, const Code *after, Code nafter)
{
	Pairing		pairing = {.updates = updates, .before = before, .after = after, .nbefore = nbefore, .nafter = nafter};
	bool	   *paired = palloc0(sizeof(bool) * ((Size) nbefore + 1));
	Code		pairs = 0;

	pairing.partner = palloc(sizeof(Code) * ((Size) nafter + 1));
	pairing.partner_of = palloc(sizeof(Code) * ((Size) nbefore + 1));
	pairing.reached_from = palloc(sizeof(Code) * ((Size) nafter + 1));
	pairing.waiting = palloc(sizeof(Code) * ((Size) nafter + 1));
	memset(pairing.partner, 0xff, sizeof(Code) * nafter);	/* NO_CODE */
	for (Code i = 0; i < nbefore; i++)
		for (Code j = 0; j < nafter && !paired[i] && updates_allow(updates, before[i], before[i]); j++)
			if (after[j] == before[i] && pairing.partner[j] == NO_CODE)
			{
				/* It stays as it is */
				pairing.partner[j] = i;
				pairing.partner_of[i] = j;
				paired[i] = true;
				pairs++;
			}
	for (Code i = 0; i < nbefore; i++)
		if (!paired[i])
			pairs += find_partner(&pairing, i);
	pfree(paired);
	pfree(pairing.partner);
	pfree(pairing.partner_of);
	pfree(pairing.reached_from);
	pfree(pairing.waiting);
	return pairs;
}

bool
is_legal_instance(const Updates *updates, const Code *before, Code nbefore, const Code *after, Code nafter)
{
	return nbefore == nafter && count_updates(updates, before, nbefore, after, nafter) == nbefore;
}

/* Sorts, and drops repeated values and NULLs; returns how many are left. */
static Code
different_values(Code *values, Code n)
{
	Code		kept = 0;

	sort_codes(values, n);
	for (Code i = 0; i < n; i++)
		if (values[i] != NO_CODE && (kept == 0 || values[i] != values[kept - 1]))
			values[kept++] = values[i];
	return kept;
}

typedef struct LegalityJudge
{
	const Frame *frame;
	const Past *past;
	const Classes *classes;
	uint32		m;
	const uint32 *component;	/* [values] under strict, else NULL */
	Code	   *values;			/* of the class at hand */
	Code		nvalues;
	Code	   *before;
	uint32	   *judged;			/* classes of the past that it was held against */
} LegalityJudge;

/* Refuses a class that has too few values, a value twice, or only invented rows. */
static void
judge_unique(LegalityJudge *judge, uint32 c)
{
	const Classes *classes = judge->classes;
	uint64		size = class_size(classes, c);
	Code		n = 0;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		judge->values[n++] = judge->frame->sensitive[classes->rows[i]];
	for (uint64 i = 0; i < class_counterfeits(classes, c); i++)
		judge->values[n++] = classes->counterfeit[classes->first_counterfeit[c] + i];
	if (size == 0)
		refuse_draft(c, "all of its rows are invented");
	judge->nvalues = different_values(judge->values, n);
	if (judge->nvalues < n)
		refuse_draft(c, "it shows a sensitive value twice");
	if (n < judge->m && judge->component == NULL)
		refuse_draft(c, "it has too few sensitive values");
	for (Code i = 0; i < n; i++)
		if (judge->values[i] >= judge->past->updates->nvalues)
			refuse_draft(c, "it shows an unknown sensitive value");
}

/*
 * Refuses a member whose value cannot have become what it is, and a class whose values are no legal update instance of a
 * member's last class; judges each last class once.
 */
static void
judge_row(LegalityJudge *judge, uint32 c, RowId row, uint32 *njudged)
{
	const Paths *paths = judge->past->paths;
	const Updates *updates = judge->past->updates;
	uint64		step = paths_last(paths, row);
	uint32		class = paths->class[step];
	Code		n;

	if (paths->shown[step] == NO_CODE || !updates_allow(updates, paths->shown[step], judge->frame->sensitive[row]))
		refuse_draft(c, "a member's value cannot have become what it is");
	for (uint32 i = 0; i < *njudged; i++)
		if (judge->judged[i] == class)
			return;
	judge->judged[(*njudged)++] = class;
	memcpy(judge->before, paths->value + paths->first_value[class], sizeof(Code) * paths_size(paths, class));
	n = different_values(judge->before, paths_size(paths, class));
	if (n >= judge->m || judge->component != NULL ? !is_legal_instance(updates, judge->before, n, judge->values, judge->nvalues)
		: count_updates(updates, judge->before, n, judge->values, judge->nvalues) < n)
		refuse_draft(c, "its values are no legal update instance of a member's last class");
}

/* Judges the members of a class, and what strict does not allow to those who are not mixed, if there are any. */
static void
judge_members(LegalityJudge *judge, uint32 c)
{
	const Classes *classes = judge->classes;
	const Paths *paths = judge->past->paths;
	const bool *is_mixed = judge->past->is_mixed;
	uint32		njudged = 0;
	bool		any_new = false;
	bool		any_mixed = false;
	bool		any_other = false;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		RowId		row = classes->rows[i];
		bool		mixed = is_mixed != NULL && is_mixed[row];

		any_mixed |= mixed;
		any_other |= !mixed;
		if (paths == NULL || paths->nclasses == 0 || !paths_known(paths, row))
			any_new = true;
		else
			judge_row(judge, c, row, &njudged);
	}
	if (judge->component == NULL)
		return;
	if (any_new && judge->nvalues < judge->m)
		refuse_draft(c, "somebody is new in it, and it has too few sensitive values");
	if (any_other && any_mixed)
		refuse_draft(c, "earlier classes tell some of its people from others");
	for (Code i = 0; i < judge->nvalues && any_other; i++)
		for (Code j = 0; j < i; j++)
			if (judge->component[judge->values[i]] == judge->component[judge->values[j]])
				refuse_draft(c, "updates connect two of its values");
}

void
judge_distinct(const Frame *frame, const Past *past, const Classes *classes, uint32 m, bool strict)
{
	LegalityJudge judge = {.frame = frame, .past = past, .classes = classes, .m = m};
	uint32		ncomponents;
	uint64		largest = 0;
	uint64		largest_before = 0;

	if (classes->first[classes->nclasses] != frame->nrows)
		refuse_draft(classes->nclasses, "rows are missing behind it");
	for (uint32 c = 0; c < classes->nclasses; c++)
		largest = Max(largest, class_size(classes, c) + class_counterfeits(classes, c));
	for (uint32 c = 0; past->paths != NULL && c < past->paths->nclasses; c++)
		largest_before = Max(largest_before, paths_size(past->paths, c));
	if (strict)
		judge.component = updates_components(past->updates, &ncomponents);
	judge.values = new_array(Code, largest);
	judge.judged = new_array(uint32, largest);
	judge.before = new_array(Code, largest_before);
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		if (c % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		judge_unique(&judge, c);
		judge_members(&judge, c);
	}
	pfree(judge.values);
	pfree(judge.judged);
	pfree(judge.before);
}

typedef struct Looking
{
	const Seen *seen;
	const Updates *updates;
	const DistinctPromise *promised;
	int32	   *last_release;	/* [individuals] or -1 */
	uint32	   *last_class;		/* [individuals] */
	Code	   *before;
	Code	   *after;
	uint64	   *judged;			/* pairs of releases and classes that lead to the class at hand */
	bool	   *verdict;
	Legality	legality;
} Looking;

/* Its values, all of them and then the different ones. */
static Code
values_of(const SeenRelease *release, uint32 c, Code *values, bool *is_unique)
{
	Code		size = seen_size(release, c);
	Code		n;

	memcpy(values, release->value + release->first[c], sizeof(Code) * size);
	n = different_values(values, size);
	*is_unique = n == size;
	return n;
}

/* Is a class a legal update instance of an individual's last class?  Asked once for each last class. */
static bool
step_is_legal(Looking *looking, Individual individual, const DistinctPromise *promised, Code nafter, uint32 *njudged)
{
	int32		r = looking->last_release[individual];
	uint32		c = looking->last_class[individual];
	uint64		from = (uint64) r << 32 | c;
	bool		ignored;
	Code		n;

	for (uint32 i = 0; i < *njudged; i++)
		if (looking->judged[i] == from)
			return looking->verdict[i];
	n = values_of(&looking->seen->release[r], c, looking->before, &ignored);
	looking->judged[*njudged] = from;
	return looking->verdict[(*njudged)++] =
		n >= promised->m || nafter < promised->m || promised->strict
		? is_legal_instance(looking->updates, looking->before, n, looking->after, nafter)
		: count_updates(looking->updates, looking->before, n, looking->after, nafter) == n;
}

/* Counts a class of a past release, its steps, and which of these are illegal. */
static void
look_at_class(Looking *looking, int32 r, uint32 c)
{
	const SeenRelease *release = &looking->seen->release[r];
	const DistinctPromise *promised = &looking->promised[r];
	Legality   *legality = &looking->legality;
	uint32		njudged = 0;
	bool		is_unique;
	Code		n = values_of(release, c, looking->after, &is_unique);

	if (n < promised->m)
	{
		is_unique &= promised->strict;
		for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
			is_unique &= release->counterfeit[i] || looking->last_release[release->individual[i]] >= 0; /* else a newcomer */
	}
	legality->classes++;
	if (!is_unique && legality->not_unique++ == 0)
	{
		legality->not_unique_in = r + 1;
		legality->not_unique_class = release->number[c];
	}
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Individual	individual = release->individual[i];

		if (looking->last_release[individual] >= 0)
		{
			legality->steps++;
			if (!step_is_legal(looking, individual, promised, n, &njudged) && legality->illegal++ == 0)
			{
				legality->illegal_in = r + 1;
				legality->illegal_class = release->number[c];
			}
		}
		looking->last_release[individual] = r;
		looking->last_class[individual] = c;
	}
}

Legality
judge_seen(const Seen *seen, const Updates *updates, const DistinctPromise *promised)
{
	Looking		looking = {.seen = seen, .updates = updates, .promised = promised};
	uint64		largest = seen_largest(seen);

	looking.last_release = new_array(int32, seen->nindividuals);
	looking.last_class = new_array(uint32, seen->nindividuals);
	memset(looking.last_release, 0xff, sizeof(int32) * seen->nindividuals); /* -1 */
	looking.before = new_array(Code, largest);
	looking.after = new_array(Code, largest);
	looking.judged = new_array(uint64, largest);
	looking.verdict = new_array(bool, largest);
	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
		{
			CHECK_FOR_INTERRUPTS();
			look_at_class(&looking, r, c);
		}
	return looking.legality;
}

/* ---- Strict ---- */

/* Classes of all releases in one row, and those that people connect. */
typedef struct Mixing
{
	const Seen *seen;
	int32		nreleases;
	const uint32 *family;
	uint64	   *base;			/* [nreleases + 1] */
	uint64	   *parent;			/* [classes] the first class of all that are connected is their root */
	bool	   *is_odd;			/* [classes] not one value of each of the root's families */
	bool	   *is_mixed;		/* [classes] by root */
	uint64	   *last;			/* [individuals] a class, or NO_STEP */
	uint32	   *families;		/* [largest] of the class at hand */
	uint32	   *wanted;			/* [largest] of the root */
} Mixing;

#define NO_STEP PG_UINT64_MAX

/* Of a person */
#define MIX_PROMISED	1
#define MIX_FAILS		2

/* Connects the classes of each individual. */
static void
connect_classes(Mixing *mixing)
{
	for (int32 r = 0; r < mixing->nreleases; r++)
	{
		const SeenRelease *release = &mixing->seen->release[r];

		for (uint32 c = 0; c < release->nclasses; c++)
		{
			uint64		at = mixing->base[r] + c;

			CHECK_FOR_INTERRUPTS();
			for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
			{
				uint64	   *last = &mixing->last[release->individual[i]];

				if (*last != NO_STEP)
					union_unite(mixing->parent, *last, at);
				*last = at;
			}
		}
	}
}

/* The families of a class ascending; false if it does not show one value of each. */
static bool
families_of(const Mixing *mixing, const SeenRelease *release, uint32 c, uint32 *families)
{
	uint64		n = seen_size(release, c);
	const Code *value = release->value + release->first[c];

	for (uint64 i = 0; i < n; i++)
	{
		if (value[i] == NO_CODE)
			return false;
		families[i] = mixing->family[value[i]];
	}
	sort_codes(families, n);
	for (uint64 i = 1; i < n; i++)
		if (families[i] == families[i - 1])
			return false;
	return true;
}

/* Compares each class with the first one that it is connected with, which comes before it. */
static void
find_odd(Mixing *mixing)
{
	uint64	   *place = new_array(uint64, mixing->base[mixing->nreleases]); /* of roots: release and class */

	for (int32 r = 0; r < mixing->nreleases; r++)
	{
		const SeenRelease *release = &mixing->seen->release[r];

		for (uint32 c = 0; c < release->nclasses; c++)
		{
			uint64		at = mixing->base[r] + c;
			uint64		root = union_root(mixing->parent, at);
			uint64		n = seen_size(release, c);
			const SeenRelease *first;

			CHECK_FOR_INTERRUPTS();
			if (root == at)
				place[at] = (uint64) r << 32 | c;
			first = &mixing->seen->release[place[root] >> 32];
			mixing->is_odd[at] = !families_of(mixing, release, c, mixing->families) ||
				n != seen_size(first, (uint32) place[root]) ||
				!families_of(mixing, first, (uint32) place[root], mixing->wanted) ||
				memcmp(mixing->families, mixing->wanted, sizeof(uint32) * n) != 0;
			mixing->is_mixed[root] |= mixing->is_odd[at];
		}
	}
	pfree(place);
}

/* Notes the first class that mixes some of these people. */
static void
find_first_mixing(Mixing *mixing, const bool *is_failing, Mixture *mixture)
{
	bool	   *fails = new_zeros(bool, mixing->base[mixing->nreleases]);

	for (uint64 t = 0; t < mixing->seen->nindividuals; t++)
		if (is_failing[t])
			fails[union_root(mixing->parent, mixing->last[t])] = true;
	for (int32 r = 0; r < mixing->nreleases && mixture->in == 0; r++)
		for (uint32 c = 0; c < mixing->seen->release[r].nclasses && mixture->in == 0; c++)
		{
			uint64		at = mixing->base[r] + c;

			if (!mixing->is_odd[at] || !fails[union_root(mixing->parent, at)])
				continue;
			mixture->in = r + 1;
			mixture->class = mixing->seen->release[r].number[c];
		}
	pfree(fails);
}

/* Connects classes, and finds those that are odd. */
static Mixing
mixing_create(const Seen *seen, int32 nreleases, const uint32 *family)
{
	Mixing		mixing = {.seen = seen, .nreleases = nreleases, .family = family};
	uint64		largest = seen_largest(seen);
	uint64		nclasses = 0;

	mixing.base = new_array(uint64, nreleases);
	for (int32 r = 0; r < nreleases; r++)
	{
		mixing.base[r] = nclasses;
		nclasses += seen->release[r].nclasses;
	}
	mixing.base[nreleases] = nclasses;
	mixing.parent = union_find_create(nclasses);
	mixing.is_odd = new_zeros(bool, nclasses);
	mixing.is_mixed = new_zeros(bool, nclasses);
	mixing.last = new_array(uint64, seen->nindividuals);
	memset(mixing.last, 0xff, sizeof(uint64) * seen->nindividuals); /* NO_STEP */
	mixing.families = new_array(uint32, largest);
	mixing.wanted = new_array(uint32, largest);
	connect_classes(&mixing);
	find_odd(&mixing);
	return mixing;
}

/* One history may be judged at several moments. */
static void
mixing_free(Mixing *mixing)
{
	pfree(mixing->base);
	pfree(mixing->parent);
	pfree(mixing->is_odd);
	pfree(mixing->is_mixed);
	pfree(mixing->last);
	pfree(mixing->families);
	pfree(mixing->wanted);
}

/* Is an individual mixed?  Not one who was in none of the releases. */
static bool
is_mixed(Mixing *mixing, Individual t)
{
	return mixing->last[t] != NO_STEP && mixing->is_mixed[union_root(mixing->parent, mixing->last[t])];
}

bool *
find_mixed(const Seen *seen, const uint32 *family)
{
	Mixing		mixing = mixing_create(seen, seen->nreleases, family);
	bool	   *result = new_zeros(bool, seen->nindividuals);

	for (Individual t = 0; t < seen->nindividuals; t++)
		result[t] = is_mixed(&mixing, t);
	mixing_free(&mixing);
	return result;
}

/* Of the people of some releases, who were promised it, and are mixed by all of these? */
static void
judge_mixed_by(Mixing *mixing, const DistinctPromise *promised, uint8 *state, Mixture *mixture)
{
	bool	   *is_failing = new_zeros(bool, mixing->seen->nindividuals);
	bool	   *is_other = new_zeros(bool, mixing->seen->nindividuals); /* invented, or shown without a promise */

	for (int32 r = 0; r < mixing->nreleases; r++)
	{
		const SeenRelease *release = &mixing->seen->release[r];

		for (uint64 i = 0; i < release->first[release->nclasses]; i++)
			is_other[release->individual[i]] |= !promised[r].strict || release->counterfeit[i];
	}
	for (Individual t = 0; t < mixing->seen->nindividuals; t++)
	{
		if (mixing->last[t] == NO_STEP || is_other[t])
			continue;
		state[t] |= MIX_PROMISED;
		is_failing[t] = is_mixed(mixing, t);
		state[t] |= is_failing[t] ? MIX_FAILS : 0;
	}
	find_first_mixing(mixing, is_failing, mixture);
	pfree(is_failing);
	pfree(is_other);
}

Mixture
judge_mixed(const Seen *seen, const uint32 *family, const DistinctPromise *promised)
{
	Mixture		mixture = {0};
	uint8	   *state = new_zeros(uint8, seen->nindividuals);

	for (int32 r = 0; r < seen->nreleases; r++)
		if (promised[r].strict && (r + 1 == seen->nreleases || !promised[r + 1].strict))
		{
			Mixing		mixing = mixing_create(seen, r + 1, family);

			judge_mixed_by(&mixing, promised, state, &mixture);
			mixing_free(&mixing);
		}
	for (Individual t = 0; t < seen->nindividuals; t++)
	{
		mixture.people += (state[t] & MIX_PROMISED) != 0;
		mixture.failing += (state[t] & MIX_FAILS) != 0;
	}
	pfree(state);
	return mixture;
}

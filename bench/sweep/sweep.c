/*
 * sweep.c
 *		Listing 1 of Barbosa, Pinto and Gomes, in a reading that is safe.
 *
 * NOTES
 *		Names are the paper's: E1 is the class at hand, E0 a neighborhood that
 *		it meets, E0- those of E0 whose signature ends in 0.  Line numbers are
 *		the listing's.
 *
 *		After each class that is accepted, each E0 is parted into what it had in
 *		E1 and what it had not; both were tested, against all that was ever
 *		published of them.  So at any time all neighborhoods are allowed, and
 *		a class that is rejected changes nothing.
 *
 *		Where E1 - E0 holds parts of several neighborhoods, the test of line 12
 *		says nothing of each; those are tested as E0 when their turn comes, and
 *		newcomers, who have no E0, by themselves (POINT_NEWCOMERS).
 *
 *		Who was rejected counts as not in the release, so that line 16 may find
 *		them for a later class.  They were asked for, and are not dirty then.
 */
#include "sweep.h"

#include "common/pg_prng.h"
#include "utils/memutils.h"

/* A release that is being swept. */
typedef struct Pass
{
	Sweep	   *sweep;
	Known	   *known;			/* the sweep's */
	uint32		left_out;
	const Frame *frame;
	const uint32 *person;		/* [rows] */
	const Classes *cut;
	RowId	   *row;			/* [people] or NO_ROW */
	bool	   *bit;			/* [people] the last bit of the signature */
	Tally	   *tally;			/* empty between two questions */
	bool		reject;

	/* E1 */
	uint32	   *member;			/* [people] those it was cut with first */
	uint64		ncut;
	uint64		size;
	bool	   *in_class;		/* [people] */
	Span	   *region;			/* [nqis] */

	/* E0 */
	const Neighborhood *met;
	uint32		last_met;		/* a number, or NO_NEIGHBORHOOD */
	uint32	   *met_by;			/* [neighborhoods] the class that last met it, + 1 */
	bool	   *in_met;			/* [people] */
	Neighborhood made_up;		/* one that is not stored */

	Code	   *values;			/* [people] scratch */
	Draft	   *draft;
} Pass;

static inline bool
is_kept(const Pass *pass, SweepPoint point)
{
	return (pass->left_out & point) == 0;
}

static inline Code
value_of(const Pass *pass, uint32 person)
{
	return pass->frame->sensitive[pass->row[person]];
}

/* ----------------------------------------------------------------
 * P
 * ----------------------------------------------------------------
 */

/* P of what is in the tally, which is emptied. */
static bool
tally_is_allowed(Pass *pass)
{
	uint64		k = pass->sweep->options.k;
	uint32		l = pass->sweep->options.l;
	uint64		rows = pass->tally->rows;
	uint32		values = pass->tally->values;

	tally_clear(pass->tally);
	if (!is_kept(pass, POINT_EMPTY))
		return rows > k && (l <= 1 || values > l);
	return rows == 0 || (rows >= k && (l <= 1 || values >= l));
}

/* P(E0 and E1), or P(E0 - E1), with all that was ever published of them. */
static bool
met_is_allowed(Pass *pass, bool in_class)
{
	const Neighborhood *met = pass->met;

	for (uint32 epoch = 0; epoch < met->nepochs; epoch++)
	{
		for (uint64 i = 0; i < met->size; i++)
			if (pass->in_class[met->member[i]] == in_class)
				tally_add(pass->tally, met->values[epoch * met->size + i]);
		if (!tally_is_allowed(pass))
			return false;
	}
	if (!in_class)
		return true;
	for (uint64 i = 0; i < met->size; i++)
		if (pass->in_class[met->member[i]])
			tally_add(pass->tally, value_of(pass, met->member[i]));
	return tally_is_allowed(pass);
}

/* P(E1 - E0) */
static bool
others_are_allowed(Pass *pass)
{
	for (uint64 i = 0; i < pass->size; i++)
		if (!pass->in_met[pass->member[i]])
			tally_add(pass->tally, value_of(pass, pass->member[i]));
	return tally_is_allowed(pass);
}

static bool
newcomers_are_allowed(Pass *pass)
{
	for (uint64 i = 0; i < pass->size; i++)
		if (pass->known->neighborhood[pass->member[i]] == NO_NEIGHBORHOOD)
			tally_add(pass->tally, value_of(pass, pass->member[i]));
	return pass->tally->rows == 0 || tally_is_allowed(pass);
}

/* ----------------------------------------------------------------
 * E0
 * ----------------------------------------------------------------
 */

static void
make_up(Pass *pass, uint32 person, Code value)
{
	pass->made_up.values[pass->made_up.size] = value;
	pass->made_up.member[pass->made_up.size++] = person;
	pass->made_up.nepochs = 1;
}

/* People who were never published, as if that were a neighborhood. */
static void
make_up_unpublished(Pass *pass)
{
	for (uint64 row = 0; row < pass->frame->nrows; row++)
		if (pass->known->neighborhood[pass->person[row]] == NO_NEIGHBORHOOD)
			make_up(pass, pass->person[row], pass->frame->sensitive[row]);
}

/*
 * A stored neighborhood as somebody finds it who goes by its region, or who
 * has only those in his db who are still there.
 */
static void
make_up_stored(Pass *pass, const Neighborhood *stored)
{
	Size		bytes = sizeof(Span) * pass->known->nqis;

	for (uint32 n = 0; n < pass->known->nneighborhoods; n++)
	{
		const Neighborhood *other = &pass->known->neighborhoods[n];

		if (other != stored && (is_kept(pass, POINT_ID) || memcmp(other->region, stored->region, bytes) != 0))
			continue;
		for (uint64 i = 0; i < other->size; i++)
			if (is_kept(pass, POINT_ZEROS) || pass->row[other->member[i]] != NO_ROW)
				make_up(pass, other->member[i], other->values[(other->nepochs - 1) * other->size + i]);
	}
	memcpy(pass->made_up.region, stored->region, bytes);
}

/* Lines 10 and 11. */
static void
meet(Pass *pass, uint32 n)
{
	pass->made_up.size = 0;
	pass->made_up.nepochs = 0;
	memcpy(pass->made_up.region, pass->region, sizeof(Span) * pass->known->nqis);
	pass->met = &pass->made_up;
	pass->last_met = n;
	if (n == NO_NEIGHBORHOOD && !is_kept(pass, POINT_UNPUBLISHED))
		make_up_unpublished(pass);
	else if (n != NO_NEIGHBORHOOD && (!is_kept(pass, POINT_ID) || !is_kept(pass, POINT_ZEROS)))
		make_up_stored(pass, &pass->known->neighborhoods[n]);
	else if (n != NO_NEIGHBORHOOD)
		pass->met = &pass->known->neighborhoods[n];
	for (uint64 i = 0; i < pass->met->size; i++)
		pass->in_met[pass->met->member[i]] = true;
}

static void
leave(Pass *pass)
{
	for (uint64 i = 0; i < pass->met->size; i++)
		pass->in_met[pass->met->member[i]] = false;
}

/* ----------------------------------------------------------------
 * E1 grows
 * ----------------------------------------------------------------
 */

static void
join(Pass *pass, uint32 person)
{
	pass->bit[person] = true;
	pass->in_class[person] = true;
	pass->member[pass->size++] = person;
}

/* Undoes what has joined since E1 had this size. */
static void
shrink(Pass *pass, uint64 size)
{
	while (pass->size > size)
	{
		uint32		person = pass->member[--pass->size];

		pass->bit[person] = false;
		pass->in_class[person] = false;
	}
}

/* Is this somebody of E0-? */
static bool
may_join(const Pass *pass, uint32 person)
{
	return pass->row[person] != NO_ROW && !pass->bit[person];
}

/* Lines 18 and 26.  Who has moved is where he is now, whatever is known of him. */
static void
widen(Pass *pass, uint64 from)
{
	if (!is_kept(pass, POINT_BOX))
		return;
	for (int q = 0; q < pass->known->nqis; q++)
	{
		Span		hull = span_hull(pass->region[q], pass->met->region[q]);

		for (uint64 i = from; i < pass->size; i++)
			hull = span_hull(hull, span_of(pass->frame->code[q][pass->row[pass->member[i]]]));
		pass->region[q] = domain_cover(&pass->frame->domain[q], hull);
	}
}

/* Lines 16 to 19, and 21 to 27: E0- joins E1, or enough of it for E0 and E1 together to be allowed. */
static void
grow(Pass *pass, bool until_allowed)
{
	uint64		from = pass->size;

	for (uint64 i = 0; i < pass->met->size; i++)
	{
		if (!may_join(pass, pass->met->member[i]))
			continue;
		join(pass, pass->met->member[i]);
		if (until_allowed && met_is_allowed(pass, true))
			break;
	}
	if (pass->size > from)
		widen(pass, from);
}

/* Lines 12 to 27 for one E0: may E1 be published? */
static bool
mend(Pass *pass)
{
	SweepRepair repair = pass->sweep->options.repair;
	uint64		size;

	if (!others_are_allowed(pass))
		return false;
	if (!met_is_allowed(pass, false))
	{
		if (repair == SWEEP_NONE)
			return false;
		grow(pass, false);
		if (is_kept(pass, POINT_REST) && !met_is_allowed(pass, false))
			return false;
	}
	if (met_is_allowed(pass, true))
		return true;
	size = pass->size;
	if (repair != SWEEP_NONE)
		grow(pass, repair == SWEEP_MINIMAL);
	if (!met_is_allowed(pass, true))
	{
		shrink(pass, size);
		return false;
	}
	if (!is_kept(pass, POINT_REST) || met_is_allowed(pass, false))
		return true;
	grow(pass, false);
	return met_is_allowed(pass, false);
}

/* ----------------------------------------------------------------
 * Update
 * ----------------------------------------------------------------
 */

static void
publish_people(Pass *pass, const uint32 *people, uint64 n)
{
	if (n == 0)
		return;
	for (uint64 i = 0; i < n; i++)
		pass->values[i] = value_of(pass, people[i]);
	known_publish(pass->known, people, pass->values, n, pass->region);
}

static const uint32 *sort_key;

static int
compare_keys(const void *a, const void *b)
{
	uint32		first = *(const uint32 *) a;
	uint32		second = *(const uint32 *) b;

	if (sort_key[first] != sort_key[second])
		return sort_key[first] < sort_key[second] ? -1 : 1;
	return first < second ? -1 : first > second;
}

/* Lines 34 and 35: parts every E0. */
static void
update(Pass *pass)
{
	const uint32 *of = pass->known->neighborhood;
	uint64		end;

	sort_key = of;
	qsort(pass->member, pass->size, sizeof(uint32), compare_keys);
	for (uint64 from = 0; from < pass->size; from = end)
	{
		uint32		n = of[pass->member[from]];

		for (end = from; end < pass->size && of[pass->member[end]] == n; end++)
			;
		publish_people(pass, pass->member + from, end - from);
	}
}

/* To the letter: all who were not of the last E0 are of one neighborhood from now on. */
static void
update_last(Pass *pass)
{
	uint64		n = 0;

	for (uint64 i = 0; i < pass->size; i++)
		if (pass->last_met == NO_NEIGHBORHOOD ||
			pass->known->neighborhood[pass->member[i]] != pass->last_met)
		{
			uint32		person = pass->member[i];

			pass->member[i] = pass->member[n];
			pass->member[n++] = person;
		}
	known_forget(pass->known, pass->member, n);
	publish_people(pass, pass->member, n);
	publish_people(pass, pass->member + n, pass->size - n);
}

static void
accept_class(Pass *pass)
{
	Draft	   *draft = pass->draft;
	Classes    *classes = draft->classes;
	uint32		c = classes->nclasses++;

	for (uint64 i = 0; i < pass->size; i++)
	{
		RowId		row = pass->row[pass->member[i]];

		classes->rows[classes->first[c] + i] = row;
		draft->dirty += pass->frame->asked != NULL && !pass->frame->asked[row];
	}
	classes->first[c + 1] = classes->first[c] + pass->size;
	memcpy(&classes->regions[(Size) c * classes->nqis], pass->region, sizeof(Span) * classes->nqis);
	if (is_kept(pass, POINT_SPLIT))
		update(pass);
	else
		update_last(pass);
}

/* Lines 31 to 33.  The bits of the grown E1, or only of what was cut. */
static void
reject_class(Pass *pass)
{
	uint64		n = is_kept(pass, POINT_TAKE_BACK) ? pass->size : pass->ncut;

	for (uint64 i = 0; i < n; i++)
		pass->bit[pass->member[i]] = false;
	pass->draft->rejected++;
}

/* ----------------------------------------------------------------
 * The sweep
 * ----------------------------------------------------------------
 */

static void
take_class(Pass *pass, uint32 c)
{
	pass->size = 0;
	for (uint64 i = pass->cut->first[c]; i < pass->cut->first[c + 1]; i++)
		join(pass, pass->person[pass->cut->rows[i]]);
	pass->ncut = pass->size;
	memcpy(pass->region, class_region(pass->cut, c), sizeof(Span) * pass->known->nqis);
}

/*
 * Was this E0 met by the class before?  All of its members find the same, and
 * dirty records, which are of the E0 that they came from, find nothing new.
 */
static bool
was_met(Pass *pass, uint32 n, uint32 c)
{
	if (n == NO_NEIGHBORHOOD || pass->met_by[n] == c + 1)
		return n != NO_NEIGHBORHOOD;
	pass->met_by[n] = c + 1;
	return false;
}

/* Lines 9 to 27. */
static bool
mend_class(Pass *pass, uint32 c)
{
	bool		anew = !is_kept(pass, POINT_ORIGINAL);
	bool		met_nobody = false;

	for (uint64 i = 0; i < (anew ? pass->size : pass->ncut); i++)
	{
		uint32		n = pass->known->neighborhood[pass->member[i]];
		bool		mended;

		if (!anew && (n == NO_NEIGHBORHOOD ? met_nobody : was_met(pass, n, c)))
			continue;
		met_nobody |= n == NO_NEIGHBORHOOD;
		pass->sweep->visits++;
		meet(pass, n);
		mended = mend(pass);
		leave(pass);
		if (!mended)
			return false;
	}
	return !is_kept(pass, POINT_NEWCOMERS) || newcomers_are_allowed(pass);
}

static void
sweep_class(Pass *pass, uint32 c)
{
	take_class(pass, c);
	if (is_kept(pass, POINT_CLEAR))
		pass->reject = false;
	if (!mend_class(pass, c))
		pass->reject = true;
	if (pass->reject)
		reject_class(pass);
	else
		accept_class(pass);
	for (uint64 i = 0; i < pass->size; i++)
		pass->in_class[pass->member[i]] = false;
}

/* The classes' numbers in the order of the sweep. */
static uint32 *
order_classes(const Pass *pass, uint64 seed)
{
	SweepOrder	by = pass->sweep->options.order;
	uint32		n = pass->cut->nclasses;
	uint32	   *order = palloc(sizeof(uint32) * (n + 1));
	uint32	   *key = palloc(sizeof(uint32) * (n + 1));
	pg_prng_state random;

	pg_prng_seed(&random, seed);
	for (uint32 c = 0; c < n; c++)
	{
		uint32		size = class_size(pass->cut, c);

		order[c] = c;
		key[c] = by == ORDER_AS_CUT ? c :
			by == ORDER_LARGEST_FIRST ? PG_UINT32_MAX - size :
			by == ORDER_SMALLEST_FIRST ? size : pg_prng_uint32(&random);
	}
	sort_key = key;
	qsort(order, n, sizeof(uint32), compare_keys);
	return order;
}

static void
number_rows(const Sweep *sweep, const Frame *frame, const uint32 *person, RowId *row)
{
	for (uint32 p = 0; p < sweep->known->npeople; p++)
		row[p] = NO_ROW;
	for (uint64 r = 0; r < frame->nrows; r++)
		row[person[r]] = r;
}

static Draft *
draft_create(const Frame *frame, const SweepOptions *options, uint32 nclasses)
{
	Draft	   *draft = palloc0(sizeof(Draft));

	draft->k = options->k;
	draft->classes = palloc0(sizeof(Classes));
	draft->classes->nqis = frame->nqis;
	draft->classes->rows = palloc_extended(sizeof(RowId) * (frame->nrows + 1), MCXT_ALLOC_HUGE);
	draft->classes->first = palloc0(sizeof(uint64) * (nclasses + 1));
	draft->classes->regions = palloc(sizeof(Span) * (nclasses + 1) * Max(1, frame->nqis));
	return draft;
}

static void *
for_people(const Sweep *sweep, Size size)
{
	return palloc_extended(size * (sweep->known->npeople + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

static void
begin_pass(Pass *pass)
{
	const Sweep *sweep = pass->sweep;
	uint32		nmet = sweep->known->nneighborhoods + sweep->known->npeople + 1;

	pass->known = sweep->known;
	pass->left_out = sweep->options.left_out;
	pass->row = for_people(sweep, sizeof(RowId));
	pass->bit = for_people(sweep, sizeof(bool));
	pass->member = for_people(sweep, sizeof(uint32));
	pass->in_class = for_people(sweep, sizeof(bool));
	pass->in_met = for_people(sweep, sizeof(bool));
	pass->values = for_people(sweep, sizeof(Code));
	pass->made_up.member = for_people(sweep, sizeof(uint32));
	pass->made_up.values = for_people(sweep, sizeof(Code));
	pass->made_up.region = palloc(sizeof(Span) * Max(1, sweep->known->nqis));
	pass->region = palloc(sizeof(Span) * Max(1, sweep->known->nqis));
	pass->met_by = palloc_extended(sizeof(uint32) * nmet, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	pass->tally = tally_create(pass->frame->nsensitive);
	number_rows(sweep, pass->frame, pass->person, pass->row);
	for (uint32 c = 0; c < pass->cut->nclasses; c++)	/* lines 5 and 6 */
		for (uint64 i = pass->cut->first[c]; i < pass->cut->first[c + 1]; i++)
			pass->bit[pass->person[pass->cut->rows[i]]] = true;
}

/* ----------------------------------------------------------------
 * Signatures
 * ----------------------------------------------------------------
 */

/* Newcomers of the db have been in none of the releases before, or have no past of any length. */
static void
store_newcomers(Sweep *sweep, const Frame *frame, const uint32 *person)
{
	uint32		mine = sweep->zeros;

	if (sweep->options.left_out & POINT_ZEROS)
		mine = sweep->nsignatures++;
	for (uint64 row = 0; row < frame->nrows; row++)
		if (sweep->signature[person[row]] == NO_SIGNATURE)
			sweep->signature[person[row]] = mine;
}

/* Adds a bit to everybody's signature, and numbers afresh what there is then. */
static void
append_bits(Sweep *sweep, const bool *bit)
{
	uint32	   *number = palloc_extended(sizeof(uint32) * 2 * sweep->nsignatures,
										 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	uint32		n = 1;

	number[2 * sweep->zeros] = n;
	for (uint32 p = 0; p < sweep->known->npeople; p++)
		if (sweep->signature[p] != NO_SIGNATURE)
		{
			uint32	   *mine = &number[2 * sweep->signature[p] + bit[p]];

			if (*mine == 0)
				*mine = ++n;
			sweep->signature[p] = *mine - 1;
		}
	sweep->zeros = 0;
	sweep->nsignatures = n;
	pfree(number);
}

Sweep *
sweep_create(uint32 npeople, int nqis, const SweepOptions *options)
{
	Sweep	   *sweep = palloc0(sizeof(Sweep));

	sweep->options = *options;
	sweep->known = known_create(npeople, nqis);
	sweep->signature = palloc_extended(sizeof(uint32) * (npeople + 1), MCXT_ALLOC_HUGE);
	for (uint32 p = 0; p < npeople; p++)
		sweep->signature[p] = NO_SIGNATURE;
	sweep->nsignatures = 1;
	return sweep;
}

/* Counts a release: all that is asked for and was not shown is suppressed. */
static void
sweep_pass(Pass *pass, const uint32 *order)
{
	Draft	   *draft = pass->draft;

	for (uint32 i = 0; i < pass->cut->nclasses; i++)
		sweep_class(pass, order[i]);
	for (uint64 row = 0; row < pass->frame->nrows; row++)
		draft->suppressed += pass->frame->asked == NULL || pass->frame->asked[row];
	draft->suppressed -= draft->classes->first[draft->classes->nclasses] - draft->dirty;
}

Draft *
sweep_classes(Sweep *sweep, const Frame *frame, const uint32 *person, const Classes *cut, uint64 seed)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(context, "sweep", ALLOCSET_DEFAULT_SIZES);
	Pass		pass = {.sweep = sweep,.frame = frame,.person = person,.cut = cut};
	const uint32 *order;

	store_newcomers(sweep, frame, person);
	pass.draft = draft_create(frame, &sweep->options, cut->nclasses);
	MemoryContextSwitchTo(work);
	begin_pass(&pass);
	order = order_classes(&pass, seed);
	MemoryContextSwitchTo(context);
	sweep_pass(&pass, order);
	append_bits(sweep, pass.bit);
	sweep->known->releases++;
	MemoryContextDelete(work);
	return pass.draft;
}

/* ----------------------------------------------------------------
 * Cutting
 * ----------------------------------------------------------------
 */

/* Appends classes to others. */
static void
append_classes(Classes *to, const Classes *more)
{
	uint64		rows = to->first[to->nclasses];

	if (more->nclasses == 0)
		return;
	to->first = repalloc_huge(to->first, sizeof(uint64) * (to->nclasses + more->nclasses + 1));
	to->regions = repalloc_huge(to->regions, sizeof(Span) * Max(1, to->nqis) * (to->nclasses + more->nclasses));
	memcpy(to->rows + rows, more->rows, sizeof(RowId) * more->first[more->nclasses]);
	memcpy(to->regions + (Size) to->nclasses * to->nqis, more->regions,
		   sizeof(Span) * to->nqis * more->nclasses);
	for (uint32 c = 1; c <= more->nclasses; c++)
		to->first[to->nclasses + c] = rows + more->first[c];
	to->nclasses += more->nclasses;
}

/* The rows asked for, those of one signature side by side; or all of them at once. */
static Classes *
cut_release(const Sweep *sweep, const Frame *frame, const uint32 *person, uint64 seed)
{
	uint64		k = sweep->options.k;
	Classes    *cut = draft_create(frame, &sweep->options, 0)->classes;
	RowId	   *rows = palloc_extended(sizeof(RowId) * (frame->nrows + 1), MCXT_ALLOC_HUGE);
	uint32	   *signature = palloc_extended(sizeof(uint32) * (frame->nrows + 1), MCXT_ALLOC_HUGE);
	uint64		n = 0;
	uint64		end;

	for (uint64 row = 0; row < frame->nrows; row++)
	{
		signature[row] = sweep->options.by_signature ? sweep->signature[person[row]] : 0;
		if (frame->asked == NULL || frame->asked[row])
			rows[n++] = row;
	}
	sort_key = signature;
	if (sweep->options.by_signature)
		qsort(rows, n, sizeof(RowId), compare_keys);
	for (uint64 from = 0; from < n; from = end)
	{
		Principle	principle;

		for (end = from; end < n && signature[rows[end]] == signature[rows[from]]; end++)
			;
		principle = principle_k_l(Max(k, Min(k * sweep->options.reserve, end - from)), sweep->options.l);
		if (end - from >= k)
			append_classes(cut, sweep->options.cut(frame, rows + from, end - from, &principle, seed));
	}
	return cut;
}

Draft *
sweep_draft(Sweep *sweep, const Frame *frame, const uint32 *person, uint64 seed)
{
	store_newcomers(sweep, frame, person);
	return sweep_classes(sweep, frame, person, cut_release(sweep, frame, person, seed), seed);
}

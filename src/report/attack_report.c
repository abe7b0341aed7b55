/*
 * attack_report.c
 *		attack(), historical_correlations() and compromise(): what releases reveal together, what observers find out who
 *		compare classes, and who know some people's values.
 */
#include "postgres.h"

#include "audit/attack.h"
#include "audit/compromise.h"
#include "catalog/pg_type.h"
#include "declare/parameters.h"
#include "declare/work.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "history/element.h"
#include "history/recall.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "release/release.h"
#include "shared/progress.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(pprepub_attack);
PG_FUNCTION_INFO_V1(pprepub_historical_correlations);
PG_FUNCTION_INFO_V1(pprepub_compromise);

/* ---- attack() ---- */

/* Puts a set that releases reveal as a row. */
static void
put_revealed(const OwnersWork *work, const Revealed *revealed)
{
	static const char *const kinds[] = {
		[REVEALED_BY_INTERSECTION] = "intersection",
		[REVEALED_BY_DIFFERENCE] = "difference",
		[REVEALED_BY_ALL] = "atom",
	};
	Datum		values[] = {
		Int32GetDatum(revealed->release),
		CStringGetTextDatum(kinds[revealed->kind]),
		Int32GetDatum(revealed->other),
		Int64GetDatum(revealed->records),
		Int64GetDatum(revealed->values),
		BoolGetDatum(revealed->holds),
	};
	bool		nulls[] = {false, false, revealed->other == 0, false, false, false};

	report_row(work, values, nulls);
}

/* Attacks the releases of the publication, as the owner. */
static void
put_attack(const OwnersWork *work, const Principle *given)
{
	const DeclaredPublication *publication = work->publication;
	Released   *released = read_released(publication);
	Recalled   *recalled = recall_in_parts(publication);
	const Seen *seen = &recalled->seen;
	const Aspects *aspects = aspects_of_recalled(publication, recalled);
	Principle  *promised = palloc(sizeof(Principle) * publication->releases);
	const Attack *found;

	recalled_forget_people(recalled);
	bind_principles(released, seen, aspects, given);
	for (int32 r = 0; r < publication->releases; r++)
		promised[r] = released[r].principle;
	found = attack(seen, atoms_of(seen), aspects, promised);
	for (uint64 i = 0; i < found->n; i++)
	{
		const Revealed *revealed = &found->revealed[i];

		/*
		 * Nothing follows from a release of which it is not known whose its rows are: it is not a release of no
		 * people.
		 */
		if (revealed->other == 0 || released[revealed->other - 1].is_identified)
			put_revealed(work, revealed);
	}
	recalled_close(recalled);
}

/* The rows of attack(). */
static Datum
report_attack(FunctionCallInfo fcinfo)
{
	const Principle *given = principle_argument(fcinfo, 1);
	OwnersWork	work;

	report_open_for_auditor(&work, fcinfo);
	if (report_begin(&work, fcinfo))
	{
		progress_begin("attack", work.publication->owner, work.publication->name);
		put_attack(&work, given);
		work_close(&work);
		progress_end();
	}
	return (Datum) 0;
}

Datum
pprepub_attack(PG_FUNCTION_ARGS)
{
	return for_auditors(fcinfo, report_attack);
}

/* ---- historical_correlations() ---- */

/* A report, and the log that its correlations are of. */
typedef struct Correlating
{
	const Seen *seen;
	const OwnersWork *work;
} Correlating;

/* Puts two correlated classes as a row. */
static void
put_correlation(void *what, const Correlation *correlation)
{
	Correlating *correlating = what;
	const SeenRelease *release = correlating->seen->release;
	Datum		values[] = {
		Int32GetDatum(correlation->a.release + 1),
		Int64GetDatum(release[correlation->a.release].number[correlation->a.class]),
		Int32GetDatum(correlation->b.release + 1),
		Int64GetDatum(release[correlation->b.release].number[correlation->b.class]),
		Int32GetDatum(correlation->unmatched),
	};
	bool		nulls[lengthof(values)] = {false};

	report_row(correlating->work, values, nulls);
}

/* The rows of historical_correlations(), which names classes and nobody. */
static Datum
report_correlations(FunctionCallInfo fcinfo)
{
	OwnersWork	work;
	uint32		most = PG_UINT32_MAX;

	if (!PG_ARGISNULL(1) && PG_GETARG_INT32(1) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("most must not be negative")));
	if (!PG_ARGISNULL(1))
		most = PG_GETARG_INT32(1);
	report_open_for_auditor(&work, fcinfo);
	if (report_begin(&work, fcinfo))
	{
		Seen		people = seen_of_people(&recall(work.publication)->seen);
		Correlating correlating = {&people, &work};

		find_correlations(statistics_of(&people), most, put_correlation, &correlating);
		work_close(&work);
	}
	return (Datum) 0;
}

Datum
pprepub_historical_correlations(PG_FUNCTION_ARGS)
{
	return for_auditors(fcinfo, report_correlations);
}

/* ---- compromise() ---- */

/* Finds people by the text of their keys: called as the owner, since the key type's input runs. */
static Individual *
find_known(const DeclaredPublication *publication, const Recalled *recalled, ArrayType *keys, int *n)
{
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);
	Datum	   *words;
	bool	   *nulls;
	Individual *known;
	Oid			input;
	Oid			param;

	getTypeInputInfo(key->type, &input, &param);
	deconstruct_array(keys, TEXTOID, -1, false, TYPALIGN_INT, &words, &nulls, n);
	known = palloc(sizeof(Individual) * (*n + 1));
	for (int i = 0; i < *n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		known[i] = nulls[i] ? NO_INDIVIDUAL :
			recalled_person(recalled, OidInputFunctionCall(input, TextDatumGetCString(words[i]), param, key->typmod));
		if (known[i] == NO_INDIVIDUAL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 nulls[i] ? errmsg("keys must not be null")
					 : errmsg("nobody with key \"%s\" was published", TextDatumGetCString(words[i])),
					 nulls[i] ? 0 : errhint("pprepub.class_members() lists the keys of all who were.")));
	}
	return known;
}

/* The conclusions from knowing some people, and those from knowing nobody */
typedef struct Deduced
{
	const DeclaredPublication *publication;
	const Recalled *recalled;
	const SensitiveColumns *columns;
	Code		null;
	const Deduction *deduction;
	const Deduction *without;	/* the same one, if nobody is known */
	const bool *is_ruled;		/* [people] may more follow by the rules of places? NULL where there are none */
} Deduced;

/* A class that was published elsewhere joins the groups that it meets: marks all of them if one is marked; was any new? */
static bool
mark_met(const Seen *seen, const SeenRelease *release, uint32 c, bool *is_marked)
{
	bool		is_met = false;
	bool		any = false;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		is_met |= is_marked[seen->group_of[release->individual[i]]];
	for (uint64 i = release->first[c]; i < release->first[c + 1] && is_met; i++)
	{
		bool	   *mark = &is_marked[seen->group_of[release->individual[i]]];

		any |= !*mark;
		*mark = true;
	}
	return any;
}

/*
 * No search knows the rules of places.  They say more than classes do where one sits after another, or somebody elsewhere
 * than before: so, of observers who know them, it is not known of these groups whether they exclude any more.
 */
static const bool *
find_ruled(const Seen *seen)
{
	bool	   *is_marked = new_zeros(bool, seen->ngroups);
	Individual *sitter = new_array(Individual, seen->nindividuals);
	Individual *seat = new_array(Individual, seen->npeople);
	bool	   *is_ruled = new_zeros(bool, seen->npeople);
	bool		any = true;

	if (seen->group_of == NULL)
		return NULL;
	memset(sitter, 0xff, sizeof(Individual) * seen->nindividuals);	/* NO_INDIVIDUAL */
	memset(seat, 0xff, sizeof(Individual) * seen->npeople);
	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint64 i = 0; i < seen->release[r].first[seen->release[r].nclasses]; i++)
		{
			Individual	place = seen->release[r].individual[i];
			Individual	person = seen->release[r].person[i];

			if (sitter[place] == NO_INDIVIDUAL)
				sitter[place] = person;
			is_marked[seen->group_of[place]] |= person == NO_INDIVIDUAL || sitter[place] != person;
			if (person == NO_INDIVIDUAL)
				continue;
			if (seat[person] == NO_INDIVIDUAL)
				seat[person] = place;
			if (seat[person] != place)
				is_marked[seen->group_of[place]] = is_marked[seen->group_of[seat[person]]] = true;
		}
	while (any)
	{
		CHECK_FOR_INTERRUPTS();
		any = false;
		for (int32 r = 0; r < seen->nreleases; r++)
			for (uint32 c = 0; c < seen->release[r].nclasses; c++)
				if (seen->release[r].group[c] == NO_GROUP)
					any |= mark_met(seen, &seen->release[r], c, is_marked);
	}
	for (Individual person = 0; person < seen->npeople; person++)
		is_ruled[person] = is_marked[seen->group_of[seat[person]]];
	return is_ruled;
}

/* The values that a person can have in a column, each once, as an array of texts. */
static Datum
candidates_text(const Deduction *deduction, Code null, const SensitiveColumn *column, TextCast *cast, uint32 group)
{
	int			all = deduction->ncandidates[group];
	int			n = 0;
	int			lower = 1;
	Code	   *codes = palloc(sizeof(Code) * (all + 1));
	Datum	   *texts = palloc(sizeof(Datum) * (all + 1));
	bool	   *nulls = palloc(sizeof(bool) * (all + 1));

	for (int i = 0; i < all; i++)
	{
		Code		value = deduction->candidate[deduction->first[group] + i];

		codes[i] = value == null ? NO_CODE : code_in_column(column, value);
	}
	sort_codes(codes, all);
	for (int i = 0; i < all; i++)
	{
		if (i > 0 && codes[i] == codes[i - 1])
			continue;
		nulls[n] = codes[i] == NO_CODE;
		if (!nulls[n])
			texts[n] = text_cast(cast, column->values[codes[i]], &nulls[n]);
		n++;
	}
	return PointerGetDatum(construct_md_array(texts, nulls, 1, &n, &lower, TEXTOID, -1, false, TYPALIGN_INT));
}

/* Deduces from knowing the people with these keys: called as the owner. */
static Deduced
deduce_from(const DeclaredPublication *publication, ArrayType *keys)
{
	const Recalled *recalled = recall(publication);
	Seen	   *people = palloc(sizeof(Seen));
	const Statistics *statistics;
	bool		knows_inventions = method_declaration(publication->method)->invents_known;
	Deduced		deduced = {
		.publication = publication,
		.recalled = recalled,
		.columns = recalled_columns(publication, recalled),
		.is_ruled = find_ruled(&recalled->seen),
	};
	Individual *known;
	int			n;

	*people = seen_of_people(&recalled->seen);
	deduced.null = name_null(people);
	statistics = statistics_of(people);
	if (find_changed(statistics) != NO_INDIVIDUAL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("sensitive values of publication \"%s\" have changed from release to release", publication->name),
				 errdetail("These deductions hold only if everybody keeps their value.")));
	known = find_known(publication, recalled, keys, &n);
	deduced.deduction = deduce(statistics, known, n, knows_inventions, (uint64) search_budget);
	deduced.without = n == 0 ? deduced.deduction : deduce(statistics, NULL, 0, knows_inventions, (uint64) search_budget);
	return deduced;
}

/* Puts a row for each sensitive column of a person. */
static void
put_candidates(const OwnersWork *work, const Deduced *deduced, Individual person, TextCast *key, TextCast *const *casts)
{
	const SensitiveColumns *columns = deduced->columns;
	const Deduction *with = deduced->deduction;
	const Deduction *without = deduced->without;

	for (int c = 0; c < columns->n; c++)
	{
		const SensitiveColumn *column = &columns->column[c];
		Datum		values[5];
		bool		nulls[5] = {false};

		values[0] = text_cast(key, deduced->recalled->people->keys[person], &nulls[0]);
		values[1] = candidates_text(with, deduced->null, column, casts[c], with->peers->group[person]);
		values[2] = candidates_text(without, deduced->null, column, casts[c], without->peers->group[person]);
		values[3] = BoolGetDatum(deduction_is_exact(with, with->peers->group[person]));
		nulls[3] = DatumGetBool(values[3]) && deduced->is_ruled != NULL && deduced->is_ruled[person];
		values[4] = CStringGetTextDatum(column->column->name);
		report_row(work, values, nulls);
	}
}

/* People of whom releases, or releases and knowledge, tell more than a class does, or may do so, and who are not known. */
static void
put_deduced(const OwnersWork *work, const Deduced *deduced)
{
	const Recalled *recalled = deduced->recalled;
	const Deduction *deduction = deduced->deduction;
	TextCast   *key = text_cast_create(publication_column(deduced->publication, ROLE_KEY));
	TextCast  **casts = palloc(sizeof(TextCast *) * deduced->columns->n);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "deduced", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;

	for (int c = 0; c < deduced->columns->n; c++)
		casts[c] = text_cast_create(deduced->columns->column[c].column);
	old = MemoryContextSwitchTo(row);
	for (Individual t = 0; t < recalled->people->size; t++)
	{
		uint32		group = deduction->peers->group[t];

		CHECK_FOR_INTERRUPTS();
		if (deduction->peers->is_known[group] || (!deduction_says(deduction, group) && deduction_is_exact(deduction, group)))
			continue;
		put_candidates(work, deduced, t, key, casts);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row);
}

Datum
pprepub_compromise(PG_FUNCTION_ARGS)
{
	OwnersWork	work;

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the keys must not be null")));
	report_open(&work, fcinfo);
	if (report_begin(&work, fcinfo))
	{
		Deduced		deduced;

		progress_begin("compromise", work.publication->owner, work.publication->name);
		deduced = deduce_from(work.publication, PG_GETARG_ARRAYTYPE_P(1));
		put_deduced(&work, &deduced);
		work_close(&work);
		progress_end();
	}
	return (Datum) 0;
}

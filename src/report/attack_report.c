/*
 * attack_report.c
 *		attack(), historical_correlations() and compromise(): what releases reveal together, what observers find out who
 *		compare classes, and who know some people's values.
 */
#include "postgres.h"

#include "audit/attack.h"
#include "audit/compromise.h"
#include "catalog/pg_type.h"
#include "declare/gate.h"
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

		find_correlations(statistics_of(&people, NULL), most, put_correlation, &correlating);
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

/* The values that a person can have in a column, in any row, each once, as an array of texts. */
static Datum
candidates_text(const Spell *spell, Code null, const SensitiveColumns *columns, const SensitiveColumn *column, TextCast *cast)
{
	int			n = 0;
	int			lower = 1;
	uint64		nrows = 0;
	uint64		room = 0;
	Code	   *codes = NULL;
	Datum	   *texts;
	bool	   *nulls;

	for (uint32 i = 0; i < spell->n; i++)
	{
		Code		value = spell->candidate[i] == null ? NO_CODE : spell->candidate[i];
		uint64		row = rows_begin(columns->first, value);
		uint64		end = rows_end(columns->first, value);

		array_reserve(codes, room, nrows + Max(end - row, 1));
		if (value == NO_CODE)
			codes[nrows++] = NO_CODE;
		for (; row < end; row++)
			codes[nrows++] = code_in_column(column, row);
	}
	texts = new_array(Datum, nrows);
	nulls = new_array(bool, nrows);
	sort_codes(codes, nrows);
	for (uint64 i = 0; i < nrows; i++)
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

typedef struct Compromising
{
	const OwnersWork *work;
	const Recalled *recalled;
	const SensitiveColumns *columns;
	bool		is_mixed;		/* published by places, and elsewhere, too: do the rules say more?  Numbers of rows
								 * may, too */
	bool	   *is_known;		/* [people] */
	const Deduction *with;
	const Deduction *without;	/* the same one, if nobody is known */
} Compromising;

/* Deduces from knowing some people; of places that do not keep the rules, as of people. */
static const Deduction *
deduce_from(Compromising *compromising, const Individual *known, int n)
{
	const DeclaredPublication *publication = compromising->work->publication;
	const Seen *seen = &compromising->recalled->seen;
	Seen		people = seen_of_people(seen);
	const Deduction *deduction = seen->group_of == NULL ? NULL : deduce(seen, known, n, 0, (uint64) search_budget);

	if (deduction != NULL)
		return deduction;
	if (find_changed(&people) != NO_INDIVIDUAL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("sensitive values of publication \"%s\" have changed from release to release", publication->name),
				 errdetail("These deductions hold only if everybody keeps their value.")));
	for (int32 r = 0; r < seen->nreleases && seen->group_of != NULL; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
			compromising->is_mixed |= seen->release[r].group[c] != NO_GROUP;
	return deduce(&people, known, n, method_declaration(publication->method)->invents_known ? KNOWS_INVENTIONS : 0, (uint64) search_budget);
}

/* Puts a row for each sensitive column of a person, as long as the person's value is one. */
static void
put_candidates(const Compromising *compromising, Individual person, uint64 i, TextCast *key, TextCast *const *casts)
{
	const Spell *with = compromising->with->spell + compromising->with->first[person];
	const Spell *without = compromising->without->spell + compromising->without->first[person];

	for (int c = 0; c < compromising->columns->n; c++)
	{
		const SensitiveColumn *column = &compromising->columns->column[c];
		Code		null = compromising->recalled->seen.nvalues;
		Datum		values[6];
		bool		nulls[lengthof(values)] = {false};

		values[0] = text_cast(key, compromising->recalled->people->keys[person], &nulls[0]);
		values[1] = Int32GetDatum(with[i].release + 1);
		values[2] = candidates_text(&with[i], null, compromising->columns, column, casts[c]);
		values[3] = candidates_text(&without[i], null, compromising->columns, column, casts[c]);
		values[4] = BoolGetDatum(with[i].is_exact);
		nulls[4] = with[i].is_exact && (compromising->is_mixed || compromising->columns->first != NULL);
		values[5] = CStringGetTextDatum(column->column->name);
		report_row(compromising->work, values, nulls);
	}
}

/* People of whom releases, or releases and knowledge, tell more than a class does, or may do so, and who are not known. */
static void
put_deduced(const Compromising *compromising)
{
	TextCast   *key = text_cast_create(publication_column(compromising->work->publication, ROLE_KEY));
	TextCast  **casts = palloc(sizeof(TextCast *) * compromising->columns->n);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "deduced", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;

	for (int c = 0; c < compromising->columns->n; c++)
		casts[c] = text_cast_create(compromising->columns->column[c].column);
	old = MemoryContextSwitchTo(row);
	for (Individual t = 0; t < compromising->recalled->people->size; t++)
	{
		const Spell *spell = compromising->with->spell + compromising->with->first[t];
		uint64		n = compromising->is_known[t] ? 0 : compromising->with->first[t + 1] - compromising->with->first[t];

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; i < n; i++)
			if (spell[i].n == 1 || spell[i].n < spell[i].nshown || !spell[i].is_exact)
				put_candidates(compromising, t, i, key, casts);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row);
}

/* Puts the rows of compromise(), as the owner. */
static void
put_compromise(const OwnersWork *work, ArrayType *keys)
{
	const Recalled *recalled = recall(work->publication);
	const Seen *seen = &recalled->seen;
	Compromising compromising = {.work = work, .recalled = recalled, .columns = recalled_columns(work->publication, recalled)};
	int			n;
	Individual *known = find_known(work->publication, recalled, keys, &n);

	compromising.is_known = new_zeros(bool, seen->npeople);
	for (int i = 0; i < n; i++)
		compromising.is_known[known[i]] = true;
	compromising.with = deduce_from(&compromising, known, n);
	compromising.without = n == 0 ? compromising.with : deduce_from(&compromising, NULL, 0);
	put_deduced(&compromising);
}

Datum
pprepub_compromise(PG_FUNCTION_ARGS)
{
	OwnersWork	work;

	PASS_TO_SHARDS(SHARDED_WHOLE);
	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the keys must not be null")));
	report_open(&work, fcinfo);
	if (report_begin(&work, fcinfo))
	{
		progress_begin("compromise", work.publication->owner, work.publication->name);
		put_compromise(&work, PG_GETARG_ARRAYTYPE_P(1));
		work_close(&work);
		progress_end();
	}
	return (Datum) 0;
}

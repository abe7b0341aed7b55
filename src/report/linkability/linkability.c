/*
 * linkability.c
 *		linkability() and link_profile(): how well releases can be joined back to people.
 *
 * NOTES
 *		Each sensitive column is judged by a join of its own, of releases that are read for it; the source is
 *		read once, so that all joins have the same tuples.
 */
#include "postgres.h"

#include <float.h>

#include "access/htup_details.h"
#include "audit/join/join.h"
#include "catalog/pg_type.h"
#include "declare/gate.h"
#include "declare/work.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "release/release.h"
#include "report/linkability/linkability.h"
#include "shared/progress.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(pprepub_linkability);
PG_FUNCTION_INFO_V1(pprepub_linkability_in_steps);
PG_FUNCTION_INFO_V1(pprepub_link_profile);

/* ---- Arguments ---- */

typedef enum JoinLevel
{
	LEVEL_MATCH,
	LEVEL_KERNEL,
	LEVEL_FULL
} JoinLevel;

typedef struct JoinKind
{
	const char *name;
	JoinLevel	level;
	bool		unifying;		/* absentees may be anybody */
} JoinKind;

static const JoinKind kinds[] = {
	{"mj", LEVEL_MATCH, false},
	{"kmj", LEVEL_KERNEL, false},
	{"fmj", LEVEL_FULL, false},
	{"mj_unifying", LEVEL_MATCH, true},
	{"kmj_unifying", LEVEL_KERNEL, true},
};

/* The kind of join that an argument names. */
static const JoinKind *
join_kind_argument(FunctionCallInfo fcinfo, int n)
{
	char	   *name = text_argument(fcinfo, n, "the kind of a join");

	for (int i = 0; i < (int) lengthof(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("there is no join of kind \"%s\"", name),
			 errhint("Kinds are \"mj\", \"kmj\", \"fmj\", \"mj_unifying\" and \"kmj_unifying\".")));
}

/*
 * The releases that an argument names, ascending, or all that are there; of a publication that has none, and is asked for all, none.
 */
static int32 *
releases_argument(FunctionCallInfo fcinfo, int argument, const DeclaredPublication *publication, int32 *n)
{
	int32	   *numbers;
	ArrayType  *array;

	verify_one_row(publication, "a join of releases", "pprepub.audit() and pprepub.attack() judge people by all of their rows.");
	if (PG_ARGISNULL(argument))
	{
		const Released *released = read_released(publication);

		*n = 0;
		numbers = palloc(sizeof(int32) * (publication->releases + 1));
		for (int32 r = 0; r < publication->releases; r++)
			if (!released[r].is_forgotten)
				numbers[(*n)++] = r + 1;
		return numbers;
	}
	array = PG_GETARG_ARRAYTYPE_P(argument);
	*n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (*n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there must be a release to be judged"),
				 errhint("Leave the argument out, or say NULL, for all of them.")));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the number of a release must not be null")));
	numbers = palloc(sizeof(int32) * *n);
	memcpy(numbers, ARR_DATA_PTR(array), sizeof(int32) * *n);
	sort_codes((Code *) numbers, *n);	/* numbers of releases are positive, as codes are */
	for (int32 i = 0; i < *n; i++)
	{
		verify_release_number(publication, numbers[i]);
		verify_may_see_figures(publication, numbers[i]);
		if (i > 0 && numbers[i] == numbers[i - 1])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("release %d is named twice", numbers[i])));
	}
	return numbers;
}

/* ---- Joining ---- */

/* A join of some releases, judged by one of the sensitive columns. */
typedef struct ReleaseJoin
{
	const DeclaredPublication *publication;
	Reading    *reading;
	Source	   *source;
	bool		is_guess;		/* whose the rows are */
	People	   *people;
	JoinGraph  *graph;
	uint64		edges;			/* of records, before the join was narrowed */
	SourceTuples *tuples;
	JoinTuples	join_tuples;
} ReleaseJoin;

/* The graph of as few people as can be. */
static void
make_graph(ReleaseJoin *join, const JoinKind *kind)
{
	uint64		more = 0;

	for (;;)
	{
		uint64		missing;

		progress_phase("list people", NO_TOTAL);
		join->people = people_of(join->reading, join->source, join->reading->nreleases, join->is_guess, kind->unifying, more);
		join->graph = join_graph(&join->people->input);
		missing = join->people->is_exact ? 0 : join_missing(join->graph);
		if (missing == 0)
			return;
		more += missing;
	}
}

/* Narrows the match join to the kernel or the full match join; an error if that fails. */
static void
narrow(const ReleaseJoin *join, JoinLevel level)
{
	JoinTrouble trouble;
	JoinOutcome outcome = JOIN_FOUND;

	progress_phase("narrow join", NO_TOTAL);
	if (level >= LEVEL_KERNEL)
		outcome = join_kernel(join->graph, &trouble);
	if (level >= LEVEL_FULL && outcome == JOIN_FOUND)
		outcome = join_full(join->graph, (uint64) fmj_budget);
	switch (outcome)
	{
		case JOIN_FOUND:
			break;
		case JOIN_UNMATCHED:
			/* No assignment of rows to people fits all the releases. */
			ereport(ERROR,
					(errcode(ERRCODE_DATA_EXCEPTION),
					 errmsg("these releases of publication \"%s\" cannot be of the same people",
							join->publication->name),
					 errdetail("Some of them do not tell whose their rows are, and joins that are consistent for each two of them need not be for all."),
					 errhint("Name fewer releases.")));
			break;
		case JOIN_OVER_BUDGET:
			ereport(ERROR,
					(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
					 errmsg("the full match join was not found within %.0f steps", fmj_budget),
					 errdetail("Finding it for more than two releases can take very long."),
					 errhint("Ask for join_kind => 'kmj', which is found in any case: it may hold joins that a perfect matching of all releases rules out, so its linkability is the same or greater, never less. Or raise pprepub.fmj_budget.")));
			break;
		case JOIN_CONTRADICTED:
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("somebody's records of releases %d and %d are not consistent", trouble.a, trouble.b)));
	}
}

/*
 * Joins releases, as the owner, inside SPI, under the active snapshot; in the current context.  One of several sensitive
 * columns is judged, from 0 on.  before: a join by another one of them, whose source is taken; or NULL.
 */
static ReleaseJoin *
join_releases(const DeclaredPublication *publication, const int32 *numbers, int32 n, int sensitive, const JoinKind *kind,
			  const ReleaseJoin *before)
{
	ReleaseJoin *join = palloc0(sizeof(ReleaseJoin));

	join->publication = publication;
	join->reading = read_releases(publication, numbers, n, sensitive, NULL);
	join->source = read_source(join->reading, before == NULL ? NULL : before->source->loaded);
	join->is_guess = identify_rows(join->reading, join->source);
	make_graph(join, kind);
	join->edges = join_edges(join->graph);
	narrow(join, kind->level);
	join->tuples = tuples_of_members(join->reading, join->source, n);
	join->join_tuples = (JoinTuples) {
		.ntuples = join->tuples->ntuples,
		.code = (const Code *const *) join->tuples->code
	};
	return join;
}

static int
count_sensitive(const DeclaredPublication *publication)
{
	int			n;

	pfree(list_sensitive(publication, &n));
	return n;
}

/* ---- The values of the judged column that a tuple of quasi-identifiers is linked to ---- */

typedef struct TupleLinks
{
	bool		is_linked;		/* or in no release */
	uint32		linkability;
	double		diversity;
	uint32		n;
	const Code *value;			/* [n] of the column */
	double	   *figure;			/* [n] frequencies */
	double		total;			/* of them, where they were joined */
} TupleLinks;

/* Joins the figures of sensitive values that the judged column does not tell apart; NULLs count for no value. */
static TupleLinks
links_in_column(const Reading *reading, const Code *value, const double *figure, uint32 n)
{
	TupleLinks	links = {.is_linked = true};
	Code	   *own = new_array(Code, n);
	double	   *sum = new_zeros(double, n);
	double		total = 0;
	double		most = 0;

	for (uint32 i = 0; i < n; i++)
	{
		Code		code = code_in_column(reading->judged_column, value[i]);
		uint32	   *at = &reading->place[code == NO_CODE ? reading->judged_column->ncodes : code];

		if (code == NO_CODE && value[i] != NO_CODE)
			continue;
		if (*at == 0)
		{
			own[links.n] = code;
			*at = ++links.n;
		}
		sum[*at - 1] += figure[i];
		total += figure[i];
		most = Max(most, sum[*at - 1]);
	}
	for (uint32 i = 0; i < links.n; i++)
		reading->place[own[i] == NO_CODE ? reading->judged_column->ncodes : own[i]] = 0;
	links.total = total;
	links.linkability = links.n;
	links.diversity = most > 0 ? total / most : 0;
	links.value = own;
	links.figure = sum;
	return links;
}

/* Of a profile, which is NULL if no release shows the column, and has values if there are several columns. */
static TupleLinks
links_of_tuple(const ReleaseJoin *join, const LinkProfile *profile, uint32 tuple)
{
	const Reading *reading = join->reading;
	uint64		first;
	TupleLinks	links = {0};

	if (profile == NULL || profile->linkability[tuple] == NO_CLIQUE)
		return links;
	first = profile->first == NULL ? 0 : profile->first[tuple];
	if (reading->nsensitive == 1)
		return (TupleLinks) {
			.is_linked = true,
			.linkability = profile->linkability[tuple], .diversity = profile->diversity[tuple],
			.n = profile->linkability[tuple],
			.value = profile->first == NULL ? NULL : profile->value + first,
			.figure = profile->first == NULL ? NULL : profile->frequency + first
		};
	links = links_in_column(reading, profile->value + first, profile->frequency + first, profile->linkability[tuple]);
	for (uint32 i = 0; i < links.n; i++)
		links.figure[i] /= links.total;
	return links;
}

/* ---- linkability() ---- */

/* People are counted apart by how many values they are linked to, up to this many. */
#define MOST_TOLD_APART 10

typedef struct Figures
{
	int32		releases;
	uint64		nodes;
	uint64		edges;
	uint64		matches;
	char	   *cliques;		/* NULL if they are too many to count */
	uint64		tuples;
	bool		has_result;		/* there is a tuple that is linked to a value, and a release that shows the sensitive
								 * column */
	uint32		linkability;
	double		diversity;
	uint64		unknown;		/* people who are linked to no value but NULL */
	uint64		people_at[MOST_TOLD_APART]; /* people who are linked to 1, 2, … values; the last, to more, too */
} Figures;

/* Adds a tuple: so many people, who are linked to so many values. */
static void
add_tuple(Figures *figures, uint64 people, uint32 linkability, double diversity)
{
	if (linkability == 0)
	{
		figures->unknown += people;
		return;
	}
	figures->people_at[Min(linkability, MOST_TOLD_APART) - 1] += people;
	figures->linkability = figures->has_result ? Min(figures->linkability, linkability) : linkability;
	figures->diversity = figures->has_result ? Min(figures->diversity, diversity) : diversity;
	figures->has_result = true;
}

/* Fills in what a join says of tuples that are linked to something. */
static void
judge(const ReleaseJoin *join, Figures *figures)
{
	bool		one_of_several = join->reading->nsensitive > 1;
	LinkProfile *profile = link_profile(join->graph, &join->join_tuples, one_of_several);

	figures->tuples = join->tuples->ntuples;
	for (uint32 t = 0; t < join->tuples->ntuples && profile != NULL; t++)
	{
		TupleLinks	links;

		CHECK_FOR_INTERRUPTS();
		if (profile->linkability[t] == NO_CLIQUE)
			continue;
		if (!one_of_several)
		{
			add_tuple(figures, join->tuples->records[t], profile->linkability[t], profile->diversity[t]);
			continue;
		}
		links = links_of_tuple(join, profile, t);
		add_tuple(figures, join->tuples->records[t], links.linkability, links.diversity);
		pfree(unconstify(Code *, links.value));
		pfree(links.figure);
	}
}

/* Takes the figures of another sensitive column, if it has less diversity; and in any case the lesser linkability. */
static void
take_lesser(Figures *figures, const Figures *other)
{
	Figures		before = *figures;

	if (!before.has_result || (other->has_result && other->diversity < before.diversity))
		*figures = *other;
	if (before.has_result && other->has_result)
		figures->linkability = Min(before.linkability, other->linkability);
}

/* Called as the owner, under the active snapshot; what the figures hold is in the context given. */
static void
find_figures(const DeclaredPublication *publication, const int32 *numbers, int32 n, const JoinKind *kind,
			 MemoryContext context, Figures *figures)
{
	uint64		steps = (uint64) search_budget;
	ReleaseJoin *join = NULL;

	for (int c = 0; c < count_sensitive(publication); c++)
	{
		JoinCounts	counts;
		Figures		own;

		join = join_releases(publication, numbers, n, c, kind, join);
		counts = join_count(join->graph, &steps);
		own = (Figures) {
			.releases = n, .nodes = counts.nodes, .edges = join->edges, .matches = counts.edges,
			.cliques = counts.cliques == NULL ? NULL : MemoryContextStrdup(context, wide_text(counts.cliques))
		};
		judge(join, &own);
		if (c == 0)
			*figures = own;
		else
			take_lesser(figures, &own);
	}
}

/* People by how many values they are linked to, up to the last number that somebody is. */
static Datum
people_at(const Figures *figures)
{
	Datum		elements[MOST_TOLD_APART];
	int			n = 0;

	for (int i = 0; i < MOST_TOLD_APART; i++)
	{
		elements[i] = Int64GetDatum(figures->people_at[i]);
		if (figures->people_at[i] > 0)
			n = i + 1;
	}
	return PointerGetDatum(construct_array(elements, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* The figures as the row of linkability(). */
static Datum
row_of(FunctionCallInfo fcinfo, const JoinKind *kind, const Figures *figures)
{
	Datum		values[] = {
		CStringGetTextDatum(kind->name),
		Int32GetDatum(figures->releases),
		Int64GetDatum(figures->nodes),
		Int64GetDatum(figures->edges),
		Int64GetDatum(figures->matches),
		figures->cliques == NULL ? (Datum) 0 :
		DirectFunctionCall3(numeric_in, CStringGetDatum(figures->cliques), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)),
		Int64GetDatum(figures->tuples),
		Int32GetDatum(figures->linkability),
		Float8GetDatum(figures->diversity),
		Int64GetDatum(figures->unknown),
		people_at(figures),
	};
	bool		nulls[lengthof(values)] = {[5] = figures->cliques == NULL,[7] = !figures->has_result,[8] = !figures->has_result};
	TupleDesc	columns;

	if (get_call_result_type(fcinfo, NULL, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls));
}

/* The row of linkability(). */
static Datum
find_linkability(FunctionCallInfo fcinfo)
{
	OwnersWork	work;
	const JoinKind *kind = join_kind_argument(fcinfo, 2);
	MemoryContext context = CurrentMemoryContext;
	Figures		figures = {.cliques = "0"};
	int32	   *numbers;

	report_open_for_auditor(&work, fcinfo);
	numbers = releases_argument(fcinfo, 1, work.publication, &figures.releases);
	if (figures.releases > 0)
	{
		progress_begin("linkability", work.publication->owner, work.publication->name);
		work_begin(&work, work.publication->owner, GetActiveSnapshot());
		find_figures(work.publication, numbers, figures.releases, kind, context, &figures);
		work_close(&work);
		progress_end();
	}
	PG_RETURN_DATUM(row_of(fcinfo, kind, &figures));
}

Datum
pprepub_linkability(PG_FUNCTION_ARGS)
{
	return for_auditors(fcinfo, find_linkability);
}

Datum
pprepub_linkability_in_steps(PG_FUNCTION_ARGS)
{
	uint64		steps = (uint64) search_budget;
	Datum		result = (Datum) 0;

	steps_left = &steps;
	PG_TRY();
	{
		result = pprepub_linkability(fcinfo);
	}
	PG_FINALLY();
	{
		steps_left = NULL;
	}
	PG_END_TRY();
	return result;
}

/* ---- Tuples and values as JSON ---- */

/* Values of a type; each is printed when it is first asked for. */
typedef struct Printed
{
	Oid			type;
	char	  **text;			/* [codes] NULL until it is asked for */
	MemoryContext context;
} Printed;

static Printed
printed_of(Oid type, Size ncodes)
{
	return (Printed) {.type = type, .text = new_zeros(char *, ncodes), .context = CurrentMemoryContext};
}

/* The text of a value, which is printed once. */
static const char *
print(const Printed *printed, Code code, Datum value)
{
	if (printed->text[code] == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(printed->context);

		printed->text[code] = value_text(printed->type, value);
		MemoryContextSwitchTo(old);
	}
	return printed->text[code];
}

/* A quasi-identifier of the source; NULL for NULL.  Leaves of a ladder stand for all their numbers. */
static const char *
print_quasi_identifier(const Coding *coding, const Printed *printed, Code code)
{
	if (code == coding->domain->null_code)
		return NULL;
	switch (coding->column->kind)
	{
		case KIND_RANGE:
			return print(printed, code, coding->values[code]);
		case KIND_TAXONOMY:
			return coding->names[tree_node(coding->domain->tree, span_of(code))];
		case KIND_PREFIX:
		case KIND_SUPPRESS:
			break;
	}
	return coding->texts[code];
}

/* The quasi-identifiers of a row of the source, by their names. */
static Datum
tuple_json(const ReleaseJoin *join, const Printed *columns, uint32 row)
{
	const LoadedFrame *loaded = join->source->loaded;
	const char **texts = palloc(sizeof(char *) * (join->reading->nqis + 1));

	for (int q = 0; q < join->reading->nqis; q++)
		texts[q] = print_quasi_identifier(loaded->codings[q], &columns[q], loaded->frame.code[q][row]);
	return texts_by_column(join->reading->column, texts, join->reading->nqis);
}

typedef struct ValueFigure
{
	const char *value;			/* NULL for what is not shown */
	double		figure;
} ValueFigure;

/* The greatest first; codes of values depend on the order of rows, so of equal figures the value decides. */
static int
compare_figures(const void *a, const void *b)
{
	const ValueFigure *x = a;
	const ValueFigure *y = b;

	if (x->figure != y->figure)
		return x->figure > y->figure ? -1 : 1;
	if (x->value == NULL || y->value == NULL)
		return (x->value == NULL) - (y->value == NULL);
	return strcmp(x->value, y->value);
}

/* Adds values of the judged column with their frequencies, the greatest first; the value that is not shown is null. */
static void
append_values(StringInfo json, const ReleaseJoin *join, const Printed *printed, const TupleLinks *links)
{
	const Datum *values = join->reading->judged_column->values;
	ValueFigure *figures = palloc(sizeof(ValueFigure) * ((Size) links->n + 1));

	for (uint32 i = 0; i < links->n; i++)
	{
		Code		value = links->value[i];

		figures[i] = (ValueFigure) {value == NO_CODE ? NULL : print(printed, value, values[value]), links->figure[i]};
	}
	qsort(figures, links->n, sizeof(ValueFigure), compare_figures);
	appendStringInfoChar(json, '[');
	for (uint32 i = 0; i < links->n; i++)
	{
		appendStringInfoString(json, i == 0 ? "{\"value\": " : ", {\"value\": ");
		if (figures[i].value == NULL)
			appendStringInfoString(json, "null");
		else
			escape_json(json, figures[i].value);
		appendStringInfo(json, ", \"frequency\": %.*g}", DBL_DIG, figures[i].figure);
	}
	appendStringInfoChar(json, ']');
}

/* ---- link_profile() ---- */

/* The findings of a join about tuples, by one of the sensitive columns. */
typedef struct ColumnProfile
{
	ReleaseJoin *join;
	LinkProfile *profile;
	Printed		values;
} ColumnProfile;

/* Puts a tuple with the values that it is linked to as a row: of each sensitive column, by its name, if there are several. */
static void
put_tuple(const OwnersWork *work, const ColumnProfile *columns, int n, const Printed *printed, uint32 t)
{
	const SourceTuples *tuples = columns[0].join->tuples;
	TupleLinks	least = {0};
	StringInfoData json;

	initStringInfo(&json);
	for (int c = 0; c < n; c++)
	{
		TupleLinks	links = links_of_tuple(columns[c].join, columns[c].profile, t);

		if (n > 1)
		{
			appendStringInfoString(&json, c == 0 ? "{" : ", ");
			escape_json(&json, columns[c].join->reading->judged_column->column->name);
			appendStringInfoString(&json, ": ");
		}
		if (!links.is_linked)
		{
			appendStringInfoString(&json, "null");
			continue;
		}
		append_values(&json, columns[c].join, &columns[c].values, &links);
		least.linkability = least.is_linked ? Min(least.linkability, links.linkability) : links.linkability;
		least.diversity = least.is_linked ? Min(least.diversity, links.diversity) : links.diversity;
		least.is_linked = true;
	}
	if (n > 1)
		appendStringInfoChar(&json, '}');
	report_row(work,
			   (Datum[]) {
		tuple_json(columns[0].join, printed, tuples->row[t]), Int64GetDatum(tuples->records[t]), Int32GetDatum(least.linkability),
		Float8GetDatum(least.diversity), DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data))
	},
			   (bool[]) {false, false, !least.is_linked, !least.is_linked, !least.is_linked});
}

/* Called as the owner, under the active snapshot. */
static void
put_tuples(const OwnersWork *work, const int32 *numbers, int32 n, const JoinKind *kind)
{
	int			ncolumns = count_sensitive(work->publication);
	ColumnProfile *columns = palloc0(sizeof(ColumnProfile) * ncolumns);
	Printed    *printed;
	const ReleaseJoin *first;
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "a tuple", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;

	for (int c = 0; c < ncolumns; c++)
	{
		ColumnProfile *column = &columns[c];
		const SensitiveColumn *judged;

		column->join = join_releases(work->publication, numbers, n, c, kind, c == 0 ? NULL : columns[0].join);
		column->profile = link_profile(column->join->graph, &column->join->join_tuples, true);
		judged = column->join->reading->judged_column;
		column->values = printed_of(judged->column->type, judged->ncodes);
	}
	first = columns[0].join;
	printed = palloc(sizeof(Printed) * (first->reading->nqis + 1));
	for (int q = 0; q < first->reading->nqis; q++)
		printed[q] = printed_of(first->reading->column[q]->type, first->source->loaded->frame.domain[q].size);
	old = MemoryContextSwitchTo(row);
	for (uint32 t = 0; t < first->tuples->ntuples; t++)
	{
		CHECK_FOR_INTERRUPTS();
		put_tuple(work, columns, ncolumns, printed, t);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(old);
}

Datum
pprepub_link_profile(PG_FUNCTION_ARGS)
{
	OwnersWork	work;
	const JoinKind *kind = join_kind_argument(fcinfo, 2);
	int32	   *numbers;
	int32		n;

	PASS_TO_SHARDS(SHARDED_ROWS);
	report_open(&work, fcinfo);
	numbers = releases_argument(fcinfo, 1, work.publication, &n);
	if (report_begin(&work, fcinfo))
	{
		progress_begin("link_profile", work.publication->owner, work.publication->name);
		put_tuples(&work, numbers, n, kind);
		work_close(&work);
		progress_end();
	}
	return (Datum) 0;
}

/*
 * suggest.c
 *		suggest(): which columns of a table single people out, and what role each
 *		could have in a publication; suggested_call(): the declaration.
 *
 * NOTES
 *		All of it is a guess from figures and names.  Nobody but the owner knows what
 *		strangers know of people, and what must not be learned of them.
 *
 *		Work is done as the caller, with the caller's rights and settings: a view's
 *		functions gain nothing by it, and row-level security lets through what the
 *		caller may see.  No value of the table is told.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/publication.h"
#include "declare/warn_owner.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "report/suggest/sample.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_suggest);
PG_FUNCTION_INFO_V1(pprepub_suggested_call);

/* ----------------------------------------------------------------
 * Proposals
 * ----------------------------------------------------------------
 */

typedef enum ProposedRole
{
	PROPOSE_NOTHING,			/* the table has no rows */
	PROPOSE_KEY,
	PROPOSE_IDENTIFYING,
	PROPOSE_QUASI_IDENTIFIER,
	PROPOSE_SENSITIVE,
	PROPOSE_LEFT_OUT
} ProposedRole;

static const char *const role_names[] = {
	[PROPOSE_NOTHING] = NULL,
	[PROPOSE_KEY] = "key",
	[PROPOSE_IDENTIFYING] = "identifying",
	[PROPOSE_QUASI_IDENTIFIER] = "quasi-identifier",
	[PROPOSE_SENSITIVE] = "sensitive?",
	[PROPOSE_LEFT_OUT] = "left out",
};

typedef struct Proposal
{
	ProposedRole role;
	const char *kind;			/* of quasi-identifiers */
	const char *why;
} Proposal;

typedef struct Suggestion
{
	Oid			source;
	const Sample *sample;
	Proposal   *proposal;		/* [sample->ncolumns] */
	int			key;			/* a column, or NO_COLUMN */
	int			sensitive;
	const char *persons;		/* why the key's values seem to be persons who have several rows, or NULL */
} Suggestion;

#define NO_COLUMN (-1)

#define MOST_PROPOSED 5			/* quasi-identifiers: each one more makes all of them coarser */
#define FEW_VALUES 50			/* of texts: not worth a prefix */
#define BINS_OF_RANGE 20		/* so many bins a step is to make, about */

static bool
is_read(const SampledColumn *column)
{
	return column->may_read && column->is_comparable;
}

/* Has every row a value of its own? */
static bool
tells_everybody_apart(const Sample *sample, const SampledColumn *column)
{
	return is_read(column) && sample->nrows > 1 && column->nulls == 0 && column->separation.distinct == sample->nrows;
}

/* ---- kinds ---- */

/* The number of the form 1, 2 or 5 times a power of ten that is next to a width, upwards. */
static double
round_step(double width)
{
	double		power = pow(10, floor(log10(width)));

	for (double factor = 1; factor < 10; factor = factor == 2 ? 5 : factor * 2)
		if (factor * power >= width * (1 - 1e-9))
			return factor * power;
	return 10 * power;
}

static const char *
step_of_days(double days)
{
	return days <= 1 ? "1 day" : days <= 7 ? "1 week" : days <= 31 ? "1 month" : days <= 366 ? "1 year" :
		days <= 1830 ? "5 years" : "10 years";
}

/* The kind of a range, with a step where its values do not lie some twenty steps apart at most anyway. */
static const char *
kind_of_range(const SampledColumn *column)
{
	double		width = (column->most - column->least) / BINS_OF_RANGE;

	if (!column->has_places || !(width > 0) || !isfinite(width))
		return "range";
	if (column->type == DATEOID)
		return psprintf("range %s", step_of_days(width));
	if (column->type == TIMESTAMPOID || column->type == TIMESTAMPTZOID)
		return width < USECS_PER_HOUR ? "range 1 hour" : psprintf("range %s", step_of_days(width / USECS_PER_DAY));
	if (column->type == INT2OID || column->type == INT4OID || column->type == INT8OID)
		return width <= 1 ? "range" : psprintf("range %.0f", round_step(width));
	width = round_step(width);
	if (width < 1e-15 || width > 1e15)
		return "range";			/* a step that nobody would read */
	return width >= 1 ? psprintf("range %.0f", width) : psprintf("range %.*f", (int) ceil(-log10(width) - 1e-9), width);
}

static const char *
percent(double share)
{
	return psprintf("%.1f %%", 100 * share);
}

/* Proposes a kind for a column that strangers may know. */
static Proposal
propose_kind(const SampledColumn *column)
{
	Proposal	proposal = {.role = PROPOSE_QUASI_IDENTIFIER};
	const char *alone = percent(column->separation.alone_share);

	if (OidIsValid(printed_type(KIND_RANGE, column->type)))
	{
		proposal.kind = kind_of_range(column);
		proposal.why = psprintf("strangers may know it; %s of the rows are alone with their value%s", alone,
								strcmp(proposal.kind, "range") == 0 ? "" : ", and a step hides it");
	}
	else if (is_string(column->type) && column->separation.distinct > FEW_VALUES)
	{
		proposal.kind = "prefix";
		proposal.why = psprintf("strangers may know it; many texts: a prefix, if near ones begin alike, or else a taxonomy; %s alone", alone);
	}
	else
	{
		proposal.kind = "suppress";
		proposal.why = psprintf("strangers may know it; few values: shown or not, or a taxonomy of groups of them; %s alone", alone);
	}
	return proposal;
}

/* ---- roles ---- */

static bool
is_reserved(const char *name)
{
	return strcmp(name, "class") == 0 || strcmp(name, "cohort") == 0 || strcmp(name, "columns") == 0;
}

/* Are values such that one of a row's own is the name of somebody, or of something of theirs, rather than a place on a line? */
static bool
is_name(const SampledColumn *column)
{
	if (column->type == INT2OID || column->type == INT4OID || column->type == INT8OID)
		return column->separation.distinction > 0.9;
	if (OidIsValid(printed_type(KIND_RANGE, column->type)))
		return false;
	/* short texts of one length are codes, which have prefixes, unless each row has its own */
	if (is_string(column->type) && column->shortest == column->longest && column->longest <= 16)
		return column->separation.alone_share > 0.9;
	return column->separation.alone_share > 0.5;
}

/* Proposes a role for a column by itself. */
static Proposal
propose_role(const Sample *sample, const SampledColumn *column)
{
	if (!column->may_read)
		return (Proposal) {PROPOSE_LEFT_OUT, NULL, "you have no right to read it"};
	if (!column->is_comparable)
		return (Proposal) {
		PROPOSE_LEFT_OUT, NULL,
			psprintf("values of type %s cannot be compared; publish parts of it, by a view", format_type_be(column->type))};
	if (sample->nrows == 0)
		return (Proposal) {PROPOSE_NOTHING, NULL, "the source has no rows to judge by"};
	if (column->separation.distinct == 1 && sample->nrows > 1)
		return (Proposal) {PROPOSE_LEFT_OUT, NULL, "all rows have one value: it tells nothing"};
	if (is_reserved(column->name))
		return (Proposal) {PROPOSE_LEFT_OUT, NULL, "the name is reserved: rename it, by a view"};
	if (column->is_generated)
		return (Proposal) {PROPOSE_LEFT_OUT, NULL, "it is computed from other columns, and says what they hide"};
	if (is_name(column))
		return (Proposal) {
		PROPOSE_IDENTIFYING, NULL,
			psprintf("it names people, or something that is theirs alone: %s of the rows are alone with their value",
					 percent(column->separation.alone_share))};
	return propose_kind(column);
}

/* The index of a column of the sample; NO_COLUMN if it has none of the name. */
static int
find_column(const Sample *sample, const char *name)
{
	for (int i = 0; i < sample->ncolumns; i++)
		if (strcmp(sample->column[i].name, name) == 0)
			return i;
	return NO_COLUMN;
}

/* Notes the columns that seem to point to persons; a person is the key, whether or not rows share persons. */
static void
propose_persons(Suggestion *suggestion)
{
	const Sample *sample = suggestion->sample;
	int			n;
	PersonColumn *persons = find_person_columns(suggestion->source, NULL, &n);

	for (int p = 0; p < n; p++)
	{
		int			i = find_column(sample, persons[p].name);
		bool		repeats;

		if (i == NO_COLUMN || !is_read(&sample->column[i]) || is_reserved(persons[p].name))
			continue;
		repeats = repeats_persons(&persons[p], sample->nrows - sample->column[i].nulls,
								  sample->column[i].separation.distinct - (sample->column[i].nulls > 0));
		if (repeats)
			suggestion->proposal[i] = (Proposal) {PROPOSE_IDENTIFYING, NULL, psprintf("%s: a person may have several rows", points_to_persons(&persons[p]))};
		if (suggestion->key == NO_COLUMN && persons[p].is_named && (repeats || tells_everybody_apart(sample, &sample->column[i])))
		{
			suggestion->key = i;
			suggestion->persons = repeats ? points_to_persons(&persons[p]) : NULL;
		}
	}
}

/* The column that tells people apart: the primary key, or the first that can. */
static int
choose_key(const Sample *sample)
{
	int			key = NO_COLUMN;

	for (int i = 0; i < sample->ncolumns; i++)
	{
		const SampledColumn *column = &sample->column[i];

		if (!tells_everybody_apart(sample, column) || is_reserved(column->name))
			continue;
		if (column->is_primary_key)
			return i;
		/* a number with a fraction, or a time, is seldom meant as a key */
		if (key == NO_COLUMN && !(OidIsValid(printed_type(KIND_RANGE, column->type)) && !is_name(column)))
			key = i;
	}
	return key;
}

/* Parts of names that columns often have of which nobody should learn, the likeliest first. */
static const char *const sensitive_words[] = {
	"diagnos", "disease", "illness", "disorder", "icd", "hiv", "symptom", "drug", "medic", "treatment", "therap",
	"religion", "party", "crime", "offence", "offense", "verdict", "salary", "income", "wage", "debt",
	"score", "grade", "result", "occupation",
};

/* Words that names of columns begin with, or a part of them, which strangers often know. */
static const char *const known_words[] = {
	"age", "birth", "born", "sex", "gender", "zip", "zipc", "post", "city", "town", "county", "district", "region", "state",
	"country", "nation", "race", "ethnic", "marital", "educat",
};

static char *
in_lower_case(const char *name)
{
	char	   *lower = pstrdup(name);

	for (char *at = lower; *at != '\0'; at++)
		*at = pg_tolower((unsigned char) *at);
	return lower;
}

/* The place of the first word that is in a name, in whatever case; the number of words if none is. */
static int
sensitive_rank(const char *name)
{
	char	   *lower = in_lower_case(name);
	int			i = 0;

	while (i < (int) lengthof(sensitive_words) && strstr(lower, sensitive_words[i]) == NULL)
		i++;
	return i;
}

static bool
has_sensitive_name(const char *name)
{
	return sensitive_rank(name) < (int) lengthof(sensitive_words);
}

/* Has a part of a name, as underscores divide it, one of the words at its start? Of a short word it is the whole: not "agent". */
static bool
has_known_name(const char *name)
{
	for (char *part = strtok(in_lower_case(name), "_"); part != NULL; part = strtok(NULL, "_"))
		for (int i = 0; i < (int) lengthof(known_words); i++)
			if (strncmp(part, known_words[i], strlen(known_words[i])) == 0 &&
				(strlen(known_words[i]) > 3 || part[strlen(known_words[i])] == '\0'))
				return true;
	return false;
}

/* How unlikely it is that nobody should learn a column: by its name; one of two values tells little. */
static int
unlikelihood(const SampledColumn *column)
{
	return sensitive_rank(column->name) + (column->separation.distinct <= 2 ? (int) lengthof(sensitive_words) : 0);
}

/* The column that nobody should learn: by its name, or else the last one with few values of several. */
static int
choose_sensitive(const Suggestion *suggestion)
{
	const Sample *sample = suggestion->sample;
	int			named = NO_COLUMN;
	int			chosen = NO_COLUMN;
	int			candidates = 0;

	for (int i = 0; i < sample->ncolumns; i++)
	{
		if (suggestion->proposal[i].role != PROPOSE_QUASI_IDENTIFIER)
			continue;
		candidates++;
		if (has_sensitive_name(sample->column[i].name) &&
			(named == NO_COLUMN || unlikelihood(&sample->column[i]) < unlikelihood(&sample->column[named])))
			named = i;
		if (sample->column[i].separation.distinct > 2 && sample->column[i].separation.alone_share < 0.05)
			chosen = i;
	}
	return named != NO_COLUMN ? named : candidates > 1 ? chosen : NO_COLUMN;
}

/* Leaves out quasi-identifiers that are too many: those first that strangers hardly know by their names, and tell rows apart least. */
static void
leave_out_too_many(Suggestion *suggestion)
{
	const Sample *sample = suggestion->sample;

	for (;;)
	{
		int			n = 0;
		int			least = NO_COLUMN;

		for (int i = 0; i < sample->ncolumns; i++)
		{
			const SampledColumn *column = &sample->column[i];
			bool		is_known = has_known_name(column->name);

			if (suggestion->proposal[i].role != PROPOSE_QUASI_IDENTIFIER)
				continue;
			n++;
			if (least == NO_COLUMN || is_known < has_known_name(sample->column[least].name) ||
				(is_known == has_known_name(sample->column[least].name) &&
				 column->separation.separation <= sample->column[least].separation.separation))
				least = i;
		}
		if (n <= MOST_PROPOSED)
			return;
		suggestion->proposal[least] = (Proposal) {
			PROPOSE_LEFT_OUT, NULL,
			psprintf("%d quasi-identifiers are proposed first, and each one more makes all coarser: add it if it is worth that", MOST_PROPOSED)
		};
	}
}

/* Proposes roles for all columns. */
static Suggestion *
propose(Oid source, const Sample *sample, const char *named_key)
{
	Suggestion *suggestion = palloc0(sizeof(Suggestion));

	suggestion->source = source;
	suggestion->sample = sample;
	suggestion->proposal = palloc(sizeof(Proposal) * (sample->ncolumns + 1));
	for (int i = 0; i < sample->ncolumns; i++)
		suggestion->proposal[i] = propose_role(sample, &sample->column[i]);
	suggestion->key = NO_COLUMN;
	if (named_key != NULL && (suggestion->key = find_column(sample, named_key)) == NO_COLUMN)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("the source has no column \"%s\"", named_key),
				 errhint("Leave the key out, and one is looked for.")));
	propose_persons(suggestion);
	if (suggestion->key == NO_COLUMN)
		suggestion->key = choose_key(sample);
	if (suggestion->key != NO_COLUMN)
	{
		const SampledColumn *key = &sample->column[suggestion->key];

		suggestion->proposal[suggestion->key] = (Proposal) {
			PROPOSE_KEY, NULL,
			suggestion->persons != NULL ? psprintf("%s: a person may have several rows", suggestion->persons) :
			named_key == NULL ? psprintf("each row%s has a value of its own", sample->nrows < sample->all ? " that was judged" : "") :
			sample->nrows > 1 && !tells_everybody_apart(sample, key) ? "you named it, but rows share values, or have none" : "you named it"
		};
	}
	suggestion->sensitive = choose_sensitive(suggestion);
	if (suggestion->sensitive != NO_COLUMN)
		suggestion->proposal[suggestion->sensitive] = (Proposal) {
			PROPOSE_SENSITIVE, NULL,
			has_sensitive_name(sample->column[suggestion->sensitive].name) ? "a guess by its name" : "a guess: the last column with few values"
		};
	leave_out_too_many(suggestion);
	return suggestion;
}

/* ----------------------------------------------------------------
 * The call
 * ----------------------------------------------------------------
 */

/* The name of a publication after its source: as many bytes as it may have. */
static char *
publication_name(Oid source)
{
	char	   *name = get_rel_name(source);

	name[pg_mbcliplen(name, strlen(name), 48)] = '\0';
	return name;
}

/* An argument that names a sensitive column: a name that begins with a brace is written as a list of one. */
static char *
sensitive_argument(const char *name)
{
	const char *quoted = quote_literal_cstr(name);

	return name[0] == '{' ? psprintf("ARRAY[%s]::text", quoted) : pstrdup(quoted);
}

/* The kinds of all quasi-identifiers as a literal of jsonb; NULL if there are none. */
static char *
kinds_argument(const Suggestion *suggestion)
{
	StringInfoData json;

	initStringInfo(&json);
	for (int i = 0; i < suggestion->sample->ncolumns; i++)
	{
		if (suggestion->proposal[i].role != PROPOSE_QUASI_IDENTIFIER)
			continue;
		appendStringInfoString(&json, json.len == 0 ? "{" : ", ");
		escape_json(&json, suggestion->sample->column[i].name);
		appendStringInfoString(&json, ": ");
		escape_json(&json, suggestion->proposal[i].kind);
	}
	if (json.len == 0)
		return NULL;
	appendStringInfoChar(&json, '}');
	return quote_literal_cstr(json.data);
}

/* The statement for a view of the last row of each person: by a time, or else by the primary key. */
static char *
last_rows(const Suggestion *suggestion)
{
	const Sample *sample = suggestion->sample;
	const char *person = quote_identifier(sample->column[suggestion->key].name);
	int			last = NO_COLUMN;

	for (int i = sample->ncolumns; i-- > 0;)
	{
		Oid			type = sample->column[i].type;

		if (is_read(&sample->column[i]) && (type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID))
			last = i;
		else if (last == NO_COLUMN && sample->column[i].is_primary_key)
			last = i;
	}
	return psprintf("CREATE VIEW %s AS SELECT DISTINCT ON (%s) * FROM %s ORDER BY %s%s;",
					quote_qualified_identifier(get_namespace_name(get_rel_namespace(suggestion->source)),
											   psprintf("%s_last", get_rel_name(suggestion->source))),
					person, quoted_relation(suggestion->source), person,
					last == NO_COLUMN ? "" : psprintf(", %s DESC", quote_identifier(sample->column[last].name)));
}

/* The declaration, to be read before it is run; or why there is none. */
static char *
write_call(const Suggestion *suggestion)
{
	const Sample *sample = suggestion->sample;
	char	   *kinds = kinds_argument(suggestion);
	uint64		values;

	if (sample->nrows == 0)
		return pstrdup("-- No proposal: the source has no rows to judge by.");
	if (suggestion->key == NO_COLUMN)
		return pstrdup("-- No proposal: no column has a value of its own for each row. Declare a view with one row for each person, and a key.");
	if (suggestion->persons != NULL)
		return psprintf("-- No proposal: %s, and a person may have several rows.\n"
						"-- Declare a view with one row for each person, and ask again of it. For the last rows:\n-- %s",
						suggestion->persons, last_rows(suggestion));
	if (sample->nrows > 1 && !tells_everybody_apart(sample, &sample->column[suggestion->key]))
		return pstrdup("-- No proposal: rows share values of this key, or have none, or you may not read it. Declare a view with one row for each key.");
	if (kinds == NULL || suggestion->sensitive == NO_COLUMN)
		return pstrdup("-- No proposal: no columns are left to be quasi-identifiers and a sensitive one.");
	values = sample->column[suggestion->sensitive].separation.distinct -
		(sample->column[suggestion->sensitive].nulls > 0);
	return psprintf("-- A proposal, made of figures and names alone: you know what strangers know of people, and what nobody should learn.\n"
					"SELECT pprepub.create_publication(%s,\n"
					"    source            => %s,\n"
					"    key               => %s,\n"
					"    quasi_identifiers => %s,\n"
					"    sensitive         => %s,\n"
					"    method            => 'bpg',\n"
					"    params            => '{\"k\": %d, \"l\": %d}');",
					quote_literal_cstr(publication_name(suggestion->source)),
					quote_literal_cstr(quoted_relation(suggestion->source)),
					quote_literal_cstr(sample->column[suggestion->key].name),
					kinds,
					sensitive_argument(sample->column[suggestion->sensitive].name),
					sample->all < 100 ? 2 : 10, (int) (values >= 6 ? 3 : values >= 2 && sample->all >= 4 ? 2 : 1));
}

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

/* A row of the result; NULL and NaN where there is nothing. */
typedef struct SuggestedRow
{
	const char *about;
	const SampledColumn *const *column;
	int			ncolumns;
	const char *role;
	const char *kind;
	const Separation *separation;
	const char *why;
} SuggestedRow;

static Datum
names_of(const SuggestedRow *row)
{
	Datum	   *names = palloc(sizeof(Datum) * (row->ncolumns + 1));

	for (int i = 0; i < row->ncolumns; i++)
		names[i] = DirectFunctionCall1(namein, CStringGetDatum(row->column[i]->name));
	return PointerGetDatum(construct_array(names, row->ncolumns, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
}

/* Puts a row of the result. */
static void
put_row(ReturnSetInfo *result, const SuggestedRow *row)
{
	const Separation *separation = row->separation;
	const Separation none = {.separation = NAN, .distinction = NAN, .alone_share = NAN};
	const Separation *known = separation == NULL ? &none : separation;
	Datum		values[] = {
		CStringGetTextDatum(row->about),
		row->ncolumns == 0 ? (Datum) 0 : names_of(row),
		row->role == NULL ? (Datum) 0 : CStringGetTextDatum(row->role),
		row->kind == NULL ? (Datum) 0 : CStringGetTextDatum(row->kind),
		Int64GetDatum(known->distinct),
		Float8GetDatum(known->alone_share),
		Float8GetDatum(known->separation),
		Float8GetDatum(known->distinction),
		CStringGetTextDatum(row->why),
	};
	bool		nulls[] = {
		false, row->ncolumns == 0, row->role == NULL, row->kind == NULL, separation == NULL,
		isnan(known->alone_share), isnan(known->separation), isnan(known->distinction), false
	};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Puts a row for each column, with what is proposed of it. */
static void
put_columns(ReturnSetInfo *result, const Suggestion *suggestion)
{
	for (int i = 0; i < suggestion->sample->ncolumns; i++)
	{
		const SampledColumn *column = &suggestion->sample->column[i];

		put_row(result, &(SuggestedRow) {
			.about = "column", .column = &column, .ncolumns = 1,
			.role = role_names[suggestion->proposal[i].role], .kind = suggestion->proposal[i].kind,
			.separation = is_read(column) ? &column->separation : NULL, .why = suggestion->proposal[i].why
		});
	}
}

/* Tells how many rows were read, and how many of them are judged. */
static void
put_rows_read(ReturnSetInfo *result, const Sample *sample)
{
	put_row(result, &(SuggestedRow) {
		.about = "rows",
		.why = sample->all == 0 ? "there are no rows" : sample->nrows == sample->all ? psprintf("all " UINT64_FORMAT " rows are judged", sample->all) :
		psprintf("%u rows are judged, drawn at random from " UINT64_FORMAT "; among all, fewer are alone", sample->nrows, sample->all)
	});
}

/* ----------------------------------------------------------------
 * Sets
 * ----------------------------------------------------------------
 */

#define FIRST_ROWS		5000
#define MOST_TRIED		4000
#define MOST_VERIFIED	100
#define MOST_SHOWN		20

/* Puts columns first that separate most. */
static int
compare_columns(const void *a, const void *b)
{
	double		x = (*(const SampledColumn *const *) a)->separation.separation;
	double		y = (*(const SampledColumn *const *) b)->separation.separation;

	return x != y ? (x > y ? -1 : 1) : strcmp((*(const SampledColumn *const *) a)->name, (*(const SampledColumn *const *) b)->name);
}

/* Lists the columns that sets are made of: no key, which singles out everybody, and none that tells nothing. */
static const SampledColumn **
searched_columns(const Suggestion *suggestion, int *n)
{
	const Sample *sample = suggestion->sample;
	const SampledColumn **list = palloc(sizeof(SampledColumn *) * (sample->ncolumns + 1));

	*n = 0;
	for (int i = 0; i < sample->ncolumns; i++)
		if (is_read(&sample->column[i]) && i != suggestion->key && sample->column[i].separation.distinct > 1)
			list[(*n)++] = &sample->column[i];
	if (*n > 1)
		qsort(list, *n, sizeof(SampledColumn *), compare_columns);
	return list;
}

/* Says where the search ended before it was through. */
static void
put_search(ReturnSetInfo *result, const SetSearch *search, int left_out)
{
	const char *why;

	if (search->nsets > MOST_SHOWN)
		why = psprintf("%d sets of columns are too many to show: these are the smallest", search->nsets);
	else
		why = psprintf("%d sets of columns single out too many, while no part of them does", search->nsets);
	if (!search->is_whole)
		why = psprintf("%s; the search ended after %d sets", why, search->tried);
	if (left_out > 0)
		why = psprintf("%s; %d columns that separate least were not looked at", why, left_out);
	put_row(result, &(SuggestedRow) {.about = "sets", .why = why});
}

/* Searches for the smallest sets that single out more than a share of the rows, and puts them. */
static void
put_sets(ReturnSetInfo *result, const Suggestion *suggestion, double threshold)
{
	int			n;
	const SampledColumn **column = searched_columns(suggestion, &n);
	const uint32 *code[MOST_SEARCHED];
	SetSearch	search = {
		.code = code, .ncolumns = Min(n, MOST_SEARCHED), .nrows = suggestion->sample->nrows, .nfirst = FIRST_ROWS,
		.threshold = threshold, .most_tried = MOST_TRIED, .most_verified = MOST_VERIFIED
	};

	for (int i = 0; i < search.ncolumns; i++)
		code[i] = column[i]->code;
	search_sets(&search);
	for (int s = 0; s < Min(search.nsets, MOST_SHOWN); s++)
	{
		const ColumnSet *set = &search.set[s];
		const SampledColumn *of_set[MOST_IN_SET];

		for (int i = 0; i < set->n; i++)
			of_set[i] = column[set->column[i]];
		put_row(result, &(SuggestedRow) {
			.about = "set", .column = of_set, .ncolumns = set->n, .separation = &set->separation,
			.why = psprintf("%s of the rows are alone with their values of %s", percent(set->separation.alone_share),
							set->n == 1 ? "it" : "these")
		});
	}
	put_search(result, &search, n - search.ncolumns);
}

/* ----------------------------------------------------------------
 * Functions
 * ----------------------------------------------------------------
 */

/* Reads the source that the first argument names, with the rights of the caller, and proposes roles for its columns. */
static Suggestion *
suggest(FunctionCallInfo fcinfo, Identity *caller)
{
	Oid			source;

	verify_not_null(fcinfo, 0, "the source");
	source = PG_GETARG_OID(0);
	reading_begin(caller, source);
	return propose(source, sample_read(source), PG_ARGISNULL(1) ? NULL : NameStr(*PG_GETARG_NAME(1)));
}

Datum
pprepub_suggest(PG_FUNCTION_ARGS)
{
	double		threshold = PG_ARGISNULL(2) ? 0.05 : PG_GETARG_FLOAT8(2);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	const Suggestion *suggestion;
	Identity	caller;

	if (!(threshold >= 0 && threshold < 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"threshold\" must be 0 or more, and less than 1"),
				 errhint("A threshold of 0.05 looks for columns that single out more than 5 %% of the people.")));
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	suggestion = suggest(fcinfo, &caller);
	put_rows_read(result, suggestion->sample);
	put_columns(result, suggestion);
	if (suggestion->sample->nrows > 1)
		put_sets(result, suggestion, threshold);
	put_row(result, &(SuggestedRow) {
		.about = "proposal",
		.why = psprintf("roles are guessed from figures and names; suggested_call(%s%s) writes them as a declaration",
						quote_literal_cstr(quoted_relation(suggestion->source)),
						PG_ARGISNULL(1) ? "" : psprintf(", %s", quote_literal_cstr(NameStr(*PG_GETARG_NAME(1)))))
	});
	reading_end(&caller);
	return (Datum) 0;
}

Datum
pprepub_suggested_call(PG_FUNCTION_ARGS)
{
	MemoryContext context = CurrentMemoryContext;
	Identity	caller;
	char	   *call = MemoryContextStrdup(context, write_call(suggest(fcinfo, &caller)));

	reading_end(&caller);
	PG_RETURN_TEXT_P(cstring_to_text(call));
}

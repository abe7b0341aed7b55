/*
 * kinds.c
 *		The kinds of generalization that a column can be declared with: which types bear them, which types they print, and
 *		the steps of ranges.
 */
#include "declare/publication.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "compat.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* ---- Kinds ---- */

static const struct
{
	Oid			type;
	Oid			printed;
}			range_types[] =
{
	{INT2OID, INT4RANGEOID},
	{INT4OID, INT4RANGEOID},
	{INT8OID, INT8RANGEOID},
	{NUMERICOID, NUMRANGEOID},
	{FLOAT4OID, NUMRANGEOID},
	{FLOAT8OID, NUMRANGEOID},
	{DATEOID, DATERANGEOID},
	{TIMESTAMPOID, TSRANGEOID},
	{TIMESTAMPTZOID, TSTZRANGEOID},
};

#define TAXONOMY_WORD "taxonomy "
#define STEP_WORD "range "

void
parse_kind(const char *text, DeclaredColumn *column)
{
	column->taxonomy = column->step = NULL;
	column->level = 0;
	if (strcmp(text, "range") == 0)
		column->kind = KIND_RANGE;
	else if (strcmp(text, "prefix") == 0)
		column->kind = KIND_PREFIX;
	else if (strcmp(text, "suppress") == 0)
		column->kind = KIND_SUPPRESS;
	else if (strncmp(text, STEP_WORD, strlen(STEP_WORD)) == 0)
	{
		column->kind = KIND_RANGE;
		column->step = pstrdup(text + strlen(STEP_WORD));
	}
	else if (strncmp(text, TAXONOMY_WORD, strlen(TAXONOMY_WORD)) == 0)
	{
		column->kind = KIND_TAXONOMY;
		column->taxonomy = pstrdup(text + strlen(TAXONOMY_WORD));
	}
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown kind \"%s\" for quasi-identifier \"%s\"", text, column->name),
				 errhint(KINDS_HINT)));
}

char *
kind_text(const DeclaredColumn *column)
{
	switch (column->kind)
	{
		case KIND_RANGE:
			return column->step == NULL ? "range" : psprintf(STEP_WORD "%s", column->step);
		case KIND_PREFIX:
			return "prefix";
		case KIND_SUPPRESS:
			return "suppress";
		case KIND_TAXONOMY:
			return column->level == 0 ? psprintf(TAXONOMY_WORD "%s", column->taxonomy)
				: psprintf(TAXONOMY_WORD "%s %d", column->taxonomy, column->level);
	}
	return NULL;
}

static Oid
printed_range(Oid type)
{
	for (int i = 0; i < (int) lengthof(range_types); i++)
		if (range_types[i].type == type)
			return range_types[i].printed;
	return InvalidOid;
}

bool
is_string(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID || type == NAMEOID;
}

bool
is_number(Oid type)
{
	return printed_range(type) != InvalidOid && type != DATEOID &&
		type != TIMESTAMPOID && type != TIMESTAMPTZOID;
}

const char *
cast_words(const DeclaredColumn *column)
{
	const char *name = quote_identifier(column->name);

	switch (column->type)
	{
		case MONEYOID:
			return psprintf("casts the column: %s::numeric", name);
		case INTERVALOID:
		case TIMEOID:
			return psprintf("casts the column: extract(epoch FROM %s)::integer", name);
		case POINTOID:
			return psprintf("has a column for each number: %s[0], %s[1]", name, name);
		case INETOID:
		case CIDROID:
			return psprintf("casts the column for \"prefix\": host(%s)", name);
		default:
			return "casts the column";
	}
}

void
verify_kind(const DeclaredColumn *column)
{
	if (column->kind == KIND_RANGE && !OidIsValid(printed_range(column->type)))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of type %s cannot be generalized to ranges",
						column->name, format_type_be(column->type)),
				 errhint("Ranges are for smallint, integer, bigint, numeric, real, double precision, date, timestamp and timestamptz; use \"prefix\", \"taxonomy NAME\" or \"suppress\", or a view that %s.",
						 cast_words(column))));
	if (column->kind == KIND_PREFIX && !is_string(column->type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of type %s cannot be generalized to prefixes",
						column->name, format_type_be(column->type)),
				 errhint("Prefixes are for text, varchar, char(n) and name; use \"range\", \"taxonomy NAME\" or \"suppress\", or a view that %s.",
						 cast_words(column))));
	(void) step_of(column);
}

Oid
printed_type(Kind kind, Oid type)
{
	return kind == KIND_RANGE ? printed_range(getBaseType(type)) : TEXTOID;
}

/* ---- Steps: "5", "0.5", "1 week" ---- */

pg_noreturn static void refuse_step(const DeclaredColumn *column, const char *reason);

/* An error that says how steps of the column's type are written. */
static void
refuse_step(const DeclaredColumn *column, const char *reason)
{
	const char *type = format_type_be(column->type);

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("step \"%s\" of %s \"%s\" %s", column->step,
					is_sensitive(column) ? "sensitive column" : "quasi-identifier", column->name, reason),
			 column->type == INT2OID || column->type == INT4OID || column->type == INT8OID
			 ? errhint("A step of type %s is a whole number: \"range 5\".", type)
			 : column->type == DATEOID
			 ? errhint("A step of type %s is a whole number of days, weeks, months or years: \"range 1 week\".", type)
			 : is_number(column->type)
			 ? errhint("A step of type %s is a number: \"range 0.5\".", type)
			 : errhint("A step of type %s is a whole number of seconds, minutes, hours, days, weeks, months or years: \"range 12 hours\".", type)));
}

/* The length of what digits and at most one point there are at the start of a text. */
static size_t
number_length(const char *text, bool may_have_point)
{
	size_t		whole = strspn(text, "0123456789");
	size_t		fraction;

	if (!may_have_point || text[whole] != '.')
		return whole;
	fraction = strspn(text + whole + 1, "0123456789");
	return whole + fraction == 0 ? 0 : whole + 1 + fraction;
}

/* The whole number at the start of a step, which is greater than 0; *rest is what follows. */
static int64
whole_number(const DeclaredColumn *column, const char **rest)
{
	const char *text = column->step;
	size_t		digits = number_length(text, false);
	int64		number = 0;

	if (text[0] == '-' && number_length(text + 1, false) > 0)
		refuse_step(column, "is not greater than 0");
	if (digits == 0)
		refuse_step(column, "does not begin with a whole number");
	for (size_t i = 0; i < digits; i++)
		if (pg_mul_s64_overflow(number, 10, &number) || pg_add_s64_overflow(number, text[i] - '0', &number))
			refuse_step(column, "is too large");
	if (number == 0)
		refuse_step(column, "is not greater than 0");
	*rest = text + digits;
	return number;
}

static const struct
{
	const char *word;
	int64		microseconds;
	int32		months;
}			lengths[] =
{
	{"second", USECS_PER_SEC, 0},
	{"minute", USECS_PER_MINUTE, 0},
	{"hour", USECS_PER_HOUR, 0},
	{"day", USECS_PER_DAY, 0},
	{"week", 7 * USECS_PER_DAY, 0},
	{"month", 0, 1},
	{"year", 0, MONTHS_PER_YEAR},
};

/* Reads a length of time, which is of months or of days and times, never of both. */
static void
read_length(const DeclaredColumn *column, RangeStep *step)
{
	const char *word;
	int64		number = whole_number(column, &word);
	int64		months;
	int			i;

	word += strspn(word, " ");
	for (i = 0; i < (int) lengthof(lengths); i++)
	{
		size_t		letters = strlen(lengths[i].word);

		if (pg_strncasecmp(word, lengths[i].word, letters) == 0 &&
			(word[letters] == '\0' || pg_strcasecmp(word + letters, "s") == 0))
			break;
	}
	if (i == lengthof(lengths))
		refuse_step(column, "is no length of time");
	if (pg_mul_s64_overflow(number, lengths[i].months, &months) || months > PG_INT32_MAX ||
		pg_mul_s64_overflow(number, lengths[i].microseconds, &step->unit))
		refuse_step(column, "is too large");
	step->months = months;
	if (step->type != DATEOID)
		return;
	if (step->unit % USECS_PER_DAY != 0)
		refuse_step(column, "is no whole number of days");
	step->unit /= USECS_PER_DAY;
}

const RangeStep *
step_of(const DeclaredColumn *column)
{
	RangeStep  *step;
	const char *rest;
	size_t		digits;

	if (column->step == NULL)
		return NULL;
	step = palloc0(sizeof(RangeStep));
	switch (column->type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			step->type = column->type == INT8OID ? INT8OID : INT4OID;
			step->unit = whole_number(column, &rest);
			if (*rest != '\0')
				refuse_step(column, "is no whole number");
			if (step->type == INT4OID && step->unit > PG_INT32_MAX)
				refuse_step(column, "is too large");
			break;
		case NUMERICOID:
		case FLOAT4OID:
		case FLOAT8OID:
			step->type = NUMERICOID;
			rest = column->step[0] == '-' ? column->step + 1 : column->step;
			digits = number_length(rest, true);
			if (digits == 0 || rest[digits] != '\0')
				refuse_step(column, "is no number");
			if (rest > column->step || rest[strspn(rest, "0.")] == '\0')
				refuse_step(column, "is not greater than 0");
			step->number = DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(rest),
															   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
			break;
		default:
			step->type = column->type;
			read_length(column, step);
			break;
	}
	return step;
}

/*
 * refusal.c
 *		Why a method that shows every row or nothing shows nothing: for the owner.
 */
#include "method/candidates/sql/candidates_sql.h"

#include "history/texts.h"
#include "release/release.h"
#include "utils/builtins.h"

static char *
text_of_value(const ReleaseBuild *build, Code value)
{
	bool		isnull;
	TextCast   *cast = text_cast_create(build->loaded->sensitive.column);
	Datum		words = text_cast(cast, build->loaded->sensitive.values[value], &isnull);

	return isnull ? pstrdup("") : TextDatumGetCString(words);
}

static void
refuse_skew(const ReleaseBuild *build, const Refusal *refusal)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("too many people of publication \"%s\" have the same sensitive value",
					build->publication->name),
			 errdetail(UINT64_FORMAT " of " UINT64_FORMAT " rows that are new to it, %.1f %%, have \"%s\": with m = " UINT64_FORMAT
					   " that would take " UINT64_FORMAT " invented rows, more than there are true ones.",
					   refusal->having, refusal->newcomers, 100.0 * refusal->having / refusal->newcomers,
					   text_of_value(build, refusal->value), refusal->limit, refusal->rows),
			 errhint("Declare a smaller m, or a sensitive column that tells more values apart.")));
}

static void
refuse_found(const char *name, const Refusal *refusal)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg(UINT64_FORMAT " row(s) that are new to publication \"%s\" would be found by their sensitive values",
					refusal->rows, name),
			 errdetail("No release has shown these values, and too few people come with them: beside invented rows, which only have values that are known, "
					   "this release or later ones would tell whose they are."),
			 errhint("Publish when " UINT64_FORMAT " people with different values are new at the same time, leave these rows out with a view, or declare a coarser sensitive column.",
					 refusal->limit)));
}

void
verify_not_refused(const ReleaseBuild *build)
{
	const Refusal *refusal = &build->draft->refusal;
	const char *name = build->publication->name;

	switch (refusal->kind)
	{
		case NOT_REFUSED:
			break;
		case REFUSED_NULLS:
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("the source of publication \"%s\" has " UINT64_FORMAT " row(s) without a sensitive value",
							name, refusal->rows),
					 errdetail("Method \"%s\" shows every row among others with different values.", build->publication->method),
					 errhint("Leave these rows out with a view, or give them a value.")));
			break;
		case REFUSED_CHANGES:
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the sensitive value of " UINT64_FORMAT " row(s) of publication \"%s\" is not what was published",
							refusal->rows, name),
					 errdetail("Method \"%s\" protects people whose values do not change.", build->publication->method),
					 errhint("Method \"m-distinct\" is for values that change. If a row is about something new, such as another stay in hospital,"
							 " declare a key that tells the two apart.")));
			break;
		case REFUSED_UNEVEN:
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg(UINT64_FORMAT " row(s) of publication \"%s\" were published in classes that show their values unevenly",
							refusal->rows, name),
					 errhint("Leave these rows out with a view.")));
			break;
		case REFUSED_FEW_VALUES:
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("publication \"%s\" has " UINT64_FORMAT " different sensitive value(s), and needs " UINT64_FORMAT,
							name, refusal->rows, refusal->limit),
					 errdetail(UINT64_FORMAT " of " UINT64_FORMAT " rows that are new to it, %.1f %%, have \"%s\"; invented rows can only have values that are known.",
							   refusal->having, refusal->newcomers, 100.0 * refusal->having / refusal->newcomers,
							   text_of_value(build, refusal->value)),
					 errhint("Declare a smaller m.")));
			break;
		case REFUSED_SKEW:
			refuse_skew(build, refusal);
			break;
		case REFUSED_FOUND:
			refuse_found(name, refusal);
			break;
		case REFUSED_LIFESPAN:
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg(UINT64_FORMAT " row(s) of publication \"%s\" were published " UINT64_FORMAT " times, as often as its \"lifespan\" allows",
							refusal->rows, name, refusal->limit),
					 errdetail("Each release more makes it more likely that what is known of some people tells of others."),
					 errhint("Leave these rows out with a view.")));
			break;
	}
}

/*
 * source_needs.c
 *		Has a source enough rows, and enough different sensitive values, for what its
 *		publication promises?
 */
#include "release/source_needs.h"

#include "declare/parameters.h"
#include "miscadmin.h"

uint64
count_sensitive_values(const Frame *frame)
{
	uint64		values = frame->nsensitive;

	for (int a = 0; frame->aspects != NULL && a < frame->aspects->n; a++)
		values = a == 0 ? frame->aspects->aspect[a].ncodes : Min(values, frame->aspects->aspect[a].ncodes);
	return values;
}

uint64
count_without_value(const Frame *frame)
{
	uint64		n = 0;

	for (uint64 row = 0; row < frame->nrows; row++)
	{
		if (row % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		n += frame->sensitive[row] == NO_CODE;
	}
	return n;
}

void
verify_needs(const DeclaredPublication *publication, const Frame *frame)
{
	const MethodDeclaration *method = method_declaration(publication->method);
	SourceNeeds needs = method->needs(param_values(method, publication->params));
	int64		values = count_sensitive_values(frame) + (needs.nulls_count ? count_without_value(frame) : 0);
	bool		lacks_rows = (int64) frame->nrows < needs.rows;

	if (!lacks_rows && values >= needs.values)
		return;
	if (frame->nrows == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NO_DATA_FOUND),
				 errmsg("publication \"%s\" has nothing that may be published", publication->name),
				 errdetail("The source has no rows that role \"%s\", its owner, can see.", GetUserNameFromId(publication->owner, false)),
				 errhint("Publish when there are some.")));
	ereport(ERROR,
			(errcode(ERRCODE_NO_DATA_FOUND),
			 errmsg("publication \"%s\" has nothing that may be published", publication->name),
			 lacks_rows
			 ? errdetail("The source has " UINT64_FORMAT " row(s), and its parameters need at least " INT64_FORMAT ".",
						 frame->nrows, needs.rows)
			 : errdetail("The source has " INT64_FORMAT " different sensitive value(s), and its parameters need at least " INT64_FORMAT ".",
						 values, needs.values),
			 errhint("Publish when there are more, or declare %s: pprepub.alter_publication().",
					 lacks_rows ? needs.for_fewer_rows : needs.for_fewer_values)));
}

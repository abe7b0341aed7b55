/*
 * refuse.c
 *		The list of what is refused.  See refuse.h.
 */
#include "postgres.h"

#include "store/refuse.h"

static const struct
{
	int			sqlerrcode;
	const char *message;		/* %s: the table */
	const char *detail;			/* or NULL */
	const char *hint;
}			refusals[] = {

	[REFUSE_UPDATE] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "rows of table \"%s\" cannot be updated",
		"Its access method pprepub only appends.",
		"Truncate it, or use ALTER TABLE ... SET ACCESS METHOD heap."
	},
	[REFUSE_DELETE] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "rows of table \"%s\" cannot be deleted",
		"Its access method pprepub only appends.",
		"Truncate it, or use ALTER TABLE ... SET ACCESS METHOD heap."
	},
	[REFUSE_LOCK] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "rows of table \"%s\" cannot be locked FOR UPDATE or FOR NO KEY UPDATE",
		"Its access method pprepub only appends.",
		"FOR SHARE and FOR KEY SHARE are possible."
	},
	[REFUSE_CONFLICT] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "INSERT ... ON CONFLICT is not possible for table \"%s\"",
		"Its access method pprepub only appends.",
		"Leave out the rows that conflict, or use ALTER TABLE ... SET ACCESS METHOD heap."
	},
	[REFUSE_CLUSTER] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "table \"%s\" cannot be clustered",
		"Rows of the access method pprepub keep the order in which they were inserted.",
		"Insert them, ordered, into a new table."
	},
	[REFUSE_BRIN] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "table \"%s\" cannot have a brin index",
		"The access method pprepub keeps the least and the greatest values of each group of rows by itself.",
		"Leave the index out, or use btree."
	},
	[REFUSE_BITMAP] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "table \"%s\" has become too big for a bitmap scan",
		NULL,
		"Run the query again: it will be planned without one."
	},
	[REFUSE_PARALLEL] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "parallel workers cannot read rows that are being inserted into table \"%s\"",
		"The statement that inserts them runs this one.",
		"Set max_parallel_workers_per_gather to 0."
	},
	[REFUSE_SYSTEM_COLUMN] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "rows of table \"%s\" have no system columns but ctid and tableoid",
		"Its access method is pprepub.",
		"Rows of such tables never change, so none has a version: name the columns that you want, or read a view of the table."
	},
	[REFUSE_MOVE_PENDING] = {
		ERRCODE_OBJECT_IN_USE, "table \"%s\" cannot be moved while rows are being inserted into it",
		NULL,
		"Move it when the statement that inserts them has ended."
	},
};

void
refuse(Relation rel, Refusal what)
{
	ereport(ERROR, (errcode(refusals[what].sqlerrcode),
					errmsg(refusals[what].message, RelationGetRelationName(rel)),
					refusals[what].detail ? errdetail("%s", refusals[what].detail) : 0,
					errhint("%s", refusals[what].hint)));
}

/*
 * list_release.c
 *		Adding a release to TARGET.NAME_releases.
 */
#include "release/list_release.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "declare/parameters.h"
#include "declare/shown_lists.h"
#include "declare/target_objects.h"
#include "history/past_tables.h"
#include "history/rows.h"
#include "release/request.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

static const Oid column_types[LISTED_ATTRIBUTES] = {
	[LISTED_RELEASE] = INT4OID,
	[LISTED_PUBLISHED_AT] = TIMESTAMPTZOID,
	[LISTED_RELATION] = TEXTOID,
	[LISTED_KIND] = TEXTOID,
	[LISTED_COLUMNS] = NAMEARRAYOID,
	[LISTED_ROWS] = INT8OID,
	[LISTED_WITHHELD] = INT4OID,
	[LISTED_INVENTED] = INT4OID,
	[LISTED_K] = NUMERICOID,
	[LISTED_L] = NUMERICOID,
	[LISTED_PRINCIPLE] = TEXTOID,
	[LISTED_REPAIR] = TEXTOID,
};

typedef struct ListedRow
{
	Datum		values[LISTED_ATTRIBUTES];
	bool		nulls[LISTED_ATTRIBUTES];
} ListedRow;

static void
set_text(ListedRow *row, int column, const char *text)
{
	row->nulls[column] = text == NULL;
	row->values[column] = text == NULL ? (Datum) 0 : CStringGetTextDatum(text);
}

static void
set_percent(ListedRow *row, int column, double share)
{
	row->nulls[column] = false;
	row->values[column] = Int32GetDatum((int32) rint(100 * share));
}

/* Sets the figures of a release of everybody. */
static void
set_metrics(ListedRow *row, const Metrics *metrics)
{
	uint64		rows = metrics->rows + metrics->counterfeits;

	row->nulls[LISTED_ROWS] = false;
	row->values[LISTED_ROWS] = Int64GetDatum((int64) rows);
	set_percent(row, LISTED_WITHHELD, suppressed_share(metrics));
	set_percent(row, LISTED_INVENTED, rows == 0 ? 0 : (double) metrics->counterfeits / rows);
}

void
list_release(const DeclaredPublication *publication, const ListedRelease *listed)
{
	Oid			table = noted_relation(publication, "releases");
	ListedRow	row = {0};
	RowWriter  *writer;

	if (!OidIsValid(table) || !has_columns(table, column_types, LISTED_ATTRIBUTES))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the list of releases of publication \"%s\" is damaged", publication->name),
				 errhint("Restore table %s from a backup.", quoted_target(publication, "_releases"))));
	row.values[LISTED_RELEASE] = Int32GetDatum(listed->number);
	row.values[LISTED_PUBLISHED_AT] = TimestampTzGetDatum(GetCurrentTransactionStartTimestamp());
	set_text(&row, LISTED_RELATION, quoted_relation(listed->table));
	set_text(&row, LISTED_KIND, listed->kind);
	row.values[LISTED_COLUMNS] = PointerGetDatum(column_names(publication, listed->shown));
	row.nulls[LISTED_ROWS] = row.nulls[LISTED_WITHHELD] = row.nulls[LISTED_INVENTED] = true;
	if (listed->metrics != NULL)
		set_metrics(&row, listed->metrics);
	row.values[LISTED_K] = declared_number(publication, "k", &row.nulls[LISTED_K]);
	row.values[LISTED_L] = declared_number(publication, "l", &row.nulls[LISTED_L]);
	set_text(&row, LISTED_PRINCIPLE, further_principle(publication));
	set_text(&row, LISTED_REPAIR, param_string(publication->params, "repair"));
	writer = writer_open(table, false);
	writer_add(writer, row.values, row.nulls);
	writer_close(writer);
}

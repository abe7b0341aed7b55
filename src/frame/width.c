/*
 * width.c
 *		The ends of the source's lines.
 */
#include "frame/width.h"

#include "executor/spi.h"
#include "utils/builtins.h"

/* Two columns for each line, or no statement where there are none. */
static char *
ends_query(const LoadedFrame *loaded, const DeclaredPublication *publication)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int q = 0; q < loaded->frame.nqis; q++)
	{
		const char *name = quote_identifier(loaded->codings[q]->column->name);

		if (loaded->codings[q]->column->kind == KIND_RANGE)
			appendStringInfo(&sql, "%s min(%s), max(%s)", sql.len == 0 ? "SELECT" : ",", name, name);
	}
	if (sql.len == 0)
		return NULL;
	appendStringInfo(&sql, " FROM %s", relation_words(publication->pinned));
	return sql.data;
}

/* Nothing is set where places are ranks, which no other frame shares. */
static void
set_width(const Coding *coding, Datum low, Datum high)
{
	Domain	   *domain = coding->domain;
	Code		n = domain->size - (domain->null_code != NO_CODE);

	if (n > 0 && line_width(coding->column->type, coding->values[0], coding->values[n - 1]) ==
		domain->position[n - 1] - domain->position[0])
		domain->source_width = line_width(coding->column->type, low, high);
}

void
read_widths(LoadedFrame *loaded, const DeclaredPublication *publication)
{
	char	   *query = ends_query(loaded, publication);
	int			attribute = 1;

	if (query == NULL)
		return;
	if (SPI_execute(query, true, 0) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not read the ends of the source's lines");
	fix_settings();				/* the source's code may have changed them */
	for (int q = 0; q < loaded->frame.nqis; q++)
	{
		bool		isnull[2];
		Datum		low;
		Datum		high;

		if (loaded->codings[q]->column->kind != KIND_RANGE)
			continue;
		low = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, attribute++, &isnull[0]);
		high = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, attribute++, &isnull[1]);
		if (!isnull[0] && !isnull[1])
			set_width(loaded->codings[q], low, high);
	}
}

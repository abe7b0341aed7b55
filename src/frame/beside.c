/*
 * beside.c
 *		What stands beside a source: people of a registry, and values that are to
 *		be protected.
 */
#include "frame/loading.h"

#include "executor/spi.h"
#include "frame/arrays.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* The columns of the load, as far as the registry has them. */
static char *
registry_query(const FrameLoad *load, Oid copy)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < load->ncolumns; i++)
	{
		const DeclaredColumn *column = load->columns[i].column;
		bool		has = column->role == ROLE_KEY || column->role == ROLE_QUASI_IDENTIFIER;

		appendStringInfo(&sql, "%s%s", i == 0 ? "SELECT " : ", ", has ? quote_identifier(column->name) : "NULL");
		if (!has)
			appendStringInfo(&sql, "::%s", column_type_words(column));
	}
	appendStringInfo(&sql, " FROM %s", relation_words(copy));
	return sql.data;
}

void
load_registry(FrameLoad *load, Oid copy)
{
	MemoryContext old = MemoryContextSwitchTo(load->context);
	uint64		from = load->nrows;

	load->is_registry = true;
	read_query(load, registry_query(load, copy), NULL);
	load->is_registry = false;
	load->nregistered = load->nrows - from;
	keys_forget_index(load->keys);
	index_rows(load, from);
	MemoryContextSwitchTo(old);
}

void
load_protected(FrameLoad *load, Oid copy)
{
	const DeclaredColumn *column = sensitive_column(load)->column;
	MemoryContext old = MemoryContextSwitchTo(load->context);
	Datum	   *values;
	bool	   *nulls;

	if (SPI_execute(psprintf("SELECT %s FROM %s", quote_identifier(column->name), relation_words(copy)), true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read which values are protected");
	load->nprotected = SPI_processed;
	values = new_array(Datum, SPI_processed);
	nulls = new_array(bool, SPI_processed);
	load->protected = new_array(uint32, SPI_processed);
	for (uint64 i = 0; i < SPI_processed; i++)
		values[i] = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &nulls[i]);
	load_sensitive_numbers(load, values, nulls, load->protected, SPI_processed);
	pfree(values);
	pfree(nulls);
	SPI_freetuptable(SPI_tuptable);
	MemoryContextSwitchTo(old);
}

/*
 * counterfeits.c
 *		The table of invented rows, class by class.
 */
#include "history/counterfeits.h"

#include "declare/parameters.h"
#include "history/past_tables.h"

Oid
counterfeits_ensure(const DeclaredPublication *publication)
{
	return private_table_ensure(publication, "counterfeits",
								"release pg_catalog.int4, class pg_catalog.int8, counterfeits pg_catalog.int8", IN_HEAP);
}

bool
tells_counterfeits(const DeclaredPublication *publication)
{
	return method_declaration(publication->method)->counterfeits;
}

void
counterfeits_add(RowWriter *writer, int32 release, int64 class, int64 counterfeits)
{
	Datum		values[] = {Int32GetDatum(release), Int64GetDatum(class), Int64GetDatum(counterfeits)};
	bool		nulls[lengthof(values)] = {false};

	writer_add(writer, values, nulls);
}

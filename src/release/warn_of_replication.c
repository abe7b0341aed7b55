/*
 * warn_of_replication.c
 *		Telling the owner that subscribers of logical replication will lack a
 *		release.
 *
 * NOTES
 *		Rows of a table of our access method are not decoded.  A release is
 *		written by one transaction and stays as it is, so the first copy of its
 *		table, once that is committed, is all of it.
 */
#include "postgres.h"

#include "catalog/pg_publication.h"
#include "release/release_table.h"
#include "utils/lsyscache.h"

/* PostgreSQL's publications that would send what is inserted into the table. */
static List *
publications_of(Oid table)
{
	List	   *all = list_concat(list_concat(GetRelationPublications(table),
											  GetSchemaPublications(get_rel_namespace(table))),
								  GetAllTablesPublications());
	List	   *sending = NIL;
	ListCell   *cell;

	foreach(cell, all)
		if (GetPublication(lfirst_oid(cell))->pubactions.pubinsert)
			sending = list_append_unique_oid(sending, lfirst_oid(cell));
	return sending;
}

void
warn_of_replication(Oid table)
{
	List	   *publications = publications_of(table);

	if (publications == NIL)
		return;
	ereport(WARNING,
			(errmsg("logical replication does not send the rows of table \"%s\"", get_rel_name(table)),
			 errdetail("It is in \"%s\" of PostgreSQL's publications.", get_publication_name(linitial_oid(publications), false)),
			 errhint("A subscriber copies all of it when it is told of the table after the release is committed: ALTER SUBSCRIPTION … REFRESH PUBLICATION.")));
}

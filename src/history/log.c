/*
 * log.c
 *		Reading the log of a publication.
 */
#include "history/log.h"

#include "history/reader.h"

void
log_ensure(const DeclaredPublication *publication)
{
	(void) past_table_ensure(publication, MEMBERS_TABLE);
	(void) past_table_ensure(publication, ASKED_TABLE);
	log_verify(publication);
}

/* Verifies a part's columns, which are read by their types. */
static void
verify_part(const DeclaredPublication *publication, PastTable part)
{
	if (!OidIsValid(past_table(publication, part)))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the log of publication \"%s\" is gone", publication->name),
				 errhint("Restore its table from a backup.")));
	past_table_verify(publication, part);
}

void
log_verify(const DeclaredPublication *publication)
{
	verify_part(publication, MEMBERS_TABLE);
	verify_part(publication, ASKED_TABLE);
}

void
log_read(const DeclaredPublication *publication, void (*visit) (void *what, TupleTableSlot *slot), void *what)
{
	log_verify(publication);
	read_each(past_table(publication, MEMBERS_TABLE), visit, what);
	read_each(past_table(publication, ASKED_TABLE), visit, what);
}

/*
 * declared_tables.c
 *		Asking who knows the table: parameters of methods have different names.
 */
#include "release/declared_tables.h"

#include "method/global/sql/global_sql.h"
#include "method/m_distinct/sql/updates.h"

void
check_declared_table(const DeclaredPublication *publication, const char *param,
					 Oid old_copy, Oid new_copy, bool accept_weakening)
{
	check_updates_table(publication, param, old_copy, new_copy, accept_weakening);
	check_global_table(publication, param, old_copy, new_copy, accept_weakening);
}

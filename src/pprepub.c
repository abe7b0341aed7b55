/*
 * pprepub.c
 *		Module start.
 */
#include "postgres.h"

#include "answer/settings.h"
#include "declare/hooks.h"
#include "declare/owner_warnings.h"
#include "declare/parameter_tables.h"
#include "declare/parameters.h"
#include "method/method.h"
#include "release/declared.h"
#include "release/schedule/schedule.h"
#include "release/search_budgets.h"
#include "store/store.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	/* Before the prefix of settings is taken. */
	start_store();
	define_search_budgets();
	define_settings();
	for (int i = 0; methods[i] != NULL; i++)
		declare_method(&methods[i]->declaration);
	parameters_hook = warn_of_lost_people;
	table_hook = check_declared_table;
	drop_hook = unschedule_dropped;
	source_hook = look_at_source;
}

/*
 * pprepub.c
 *		Module start.
 */
#include "postgres.h"

#include "declare/alter.h"
#include "declare/parameters.h"
#include "declare/tables.h"
#include "declare/warnings.h"
#include "fmgr.h"
#include "method/method.h"
#include "serve/answer/settings.h"
#include "serve/declared_tables.h"
#include "serve/first_look.h"
#include "serve/linkability/settings.h"
#include "serve/schedule/schedule.h"
#include "serve/search_budget.h"
#include "serve/strengthen.h"
#include "store/store.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	/* Before the prefix of settings is taken. */
	start_store();
	define_search_budget();
	define_linkability_settings();
	define_settings();
	for (int i = 0; methods[i] != NULL; i++)
		declare_method(&methods[i]->declaration);
	parameters_hook = warn_of_lost_people;
	table_hook = check_declared_table;
	drop_hook = unschedule_dropped;
	source_hook = look_at_source;
}

/*
 * pprepub.c
 *		Module start.
 */
#include "postgres.h"

#include "answer/answer.h"
#include "answer/live.h"
#include "declare/parameters.h"
#include "declare/publication.h"
#include "fmgr.h"
#include "method/method.h"
#include "release/release.h"
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
	define_live_tables();
	for (int i = 0; methods[i] != NULL; i++)
		declare_method(&methods[i]->declaration);
	declare_hooks = &release_hooks;
}

/*
 * starved.c
 *		starved(): an error of which there is no memory for a copy, for tests.
 *
 * Linked into the library by "make ASSERT=1"; only tests create an SQL function of it.
 */
#include "postgres.h"

#include <sys/resource.h>
#include <unistd.h>

#include "declare/catalog.h"
#include "fmgr.h"

PG_FUNCTION_INFO_V1(pprepub_starved);

#define LONG_MESSAGE (64 * 1024 * 1024)

/* From now on the process gets no more memory. */
static void
take_memory_away(void *what)
{
	struct rlimit *limit = what;
	FILE	   *pages = fopen("/proc/self/statm", "r");
	long		size;

	if (pages == NULL || fscanf(pages, "%ld", &size) != 1)
		abort();
	fclose(pages);
	setrlimit(RLIMIT_AS, &(struct rlimit) {size * sysconf(_SC_PAGESIZE), limit->rlim_max});
}

/* The error is whole, but not yet thrown, when its context is asked for. */
static void
fail(void *limit)
{
	ErrorContextCallback callback = {error_context_stack, take_memory_away, limit};
	char	   *message = palloc(LONG_MESSAGE);

	memset(message, 'x', LONG_MESSAGE - 1);
	message[LONG_MESSAGE - 1] = '\0';
	error_context_stack = &callback;
	ereport(ERROR, (errmsg_internal("%s", message)));
}

Datum
pprepub_starved(PG_FUNCTION_ARGS)
{
	struct rlimit limit;

	getrlimit(RLIMIT_AS, &limit);
	PG_TRY();
	{
		(void) try_in_subtransaction(fail, &limit);
	}
	PG_FINALLY();
	{
		setrlimit(RLIMIT_AS, &limit);
	}
	PG_END_TRY();
	PG_RETURN_VOID();
}

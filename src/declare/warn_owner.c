/*
 * warn_owner.c
 *		Raising warnings, and remembering them.
 */
#include "declare/warn_owner.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* The warnings that were raised about a publication. */
typedef struct OwnerWarnings
{
	MemoryContext context;
	List	   *lines;			/* char *, in the order in which they were raised */
	bool		starving;
} OwnerWarnings;

/* Everything that owners are told, in one line. */
static char *
warning_line(const OwnerWarning *warning)
{
	StringInfoData line;

	initStringInfo(&line);
	appendStringInfo(&line, "%s.", warning->message);
	if (warning->detail != NULL)
		appendStringInfo(&line, " %s", warning->detail);
	if (warning->hint != NULL)
		appendStringInfo(&line, " %s", warning->hint);
	return line.data;
}

static void
remember(OwnerWarnings *warnings, const OwnerWarning *warning)
{
	MemoryContext old = MemoryContextSwitchTo(warnings->context);

	warnings->lines = lappend(warnings->lines, warning_line(warning));
	warnings->starving |= warning->starves;
	MemoryContextSwitchTo(old);
}

void
warn_owner(const DeclaredPublication *publication, const OwnerWarning *warning)
{
	if (publication->warnings != NULL)
		remember(publication->warnings, warning);
	ereport(WARNING,
			(errmsg_internal("%s", warning->message),
			 warning->detail == NULL ? 0 : errdetail_internal("%s", warning->detail),
			 warning->log_detail == NULL ? 0 : errdetail_log("%s", warning->log_detail),
			 warning->hint == NULL ? 0 : errhint("%s", warning->hint)));
}

void
warn_of_weak_release(const DeclaredPublication *publication, const OwnerWarning *warning)
{
	OwnerWarning whole = *warning;

	whole.message = psprintf("release %d is less than publication \"%s\" promises", publication->releases, publication->name);
	warn_owner(publication, &whole);
}

void
remember_warnings(DeclaredPublication *publication)
{
	publication->warnings = palloc0(sizeof(OwnerWarnings));
	publication->warnings->context = CurrentMemoryContext;
}

ArrayType *
remembered_warnings(const DeclaredPublication *publication)
{
	List	   *lines = publication->warnings->lines;
	Datum	   *elements = palloc(sizeof(Datum) * (list_length(lines) + 1));

	if (lines == NIL)
		return NULL;
	for (int i = 0; i < list_length(lines); i++)
		elements[i] = CStringGetTextDatum(list_nth(lines, i));
	return construct_array(elements, list_length(lines), TEXTOID, -1, false, TYPALIGN_INT);
}

bool
remembers_starving(const DeclaredPublication *publication)
{
	return publication->warnings->starving;
}

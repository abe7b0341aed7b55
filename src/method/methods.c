/*
 * methods.c
 *		The list of methods.
 */
#include "postgres.h"

#include "method/method.h"

const Method *const methods[] = {
	&bpg_method,
	&sequential_method,
	&invariance_method,
	&cor_split_method,
	&m_distinct_method,
	&global_method,
	NULL
};

const Method *
find_method(const char *name)
{
	for (int i = 0; methods[i] != NULL; i++)
		if (strcmp(methods[i]->declaration.name, name) == 0)
			return methods[i];
	elog(ERROR, "there is no method \"%s\"", name);
}

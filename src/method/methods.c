/*
 * methods.c
 *		The list of methods as an array.
 */
#include "postgres.h"

#include "method/method.h"

const Method *const methods[] = {
#define METHOD(name) &name##_method,
#define METHOD_WITH_SQL(name) &name##_method,
#include "method/list.h"
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

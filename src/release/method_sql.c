/*
 * method_sql.c
 *		The halves of methods that read the database, by the method's name.
 */
#include "release/method_sql.h"

const MethodSql *
find_method_sql(const char *name)
{
	static const MethodSql none;
	static const MethodSql *const halves[] = {
#define METHOD(name) &none,
#define METHOD_WITH_SQL(name) &name##_sql,
#include "method/list.h"
	};

	for (int i = 0; methods[i] != NULL; i++)
		if (strcmp(methods[i]->declaration.name, name) == 0)
			return halves[i];
	elog(ERROR, "there is no method \"%s\"", name);
}

/*
 * promises.c
 *		The list of promises: a line each.
 */
#include "serve/promises.h"

static const Promise promises[] = {
	{.method = NULL}
};

const Promise *
find_promise(const DeclaredPublication *publication)
{
	for (const Promise *promise = promises; promise->method != NULL; promise++)
		if (strcmp(promise->method, publication->method) == 0)
			return promise;
	return NULL;
}

/*
 * promises.c
 *		The list of promises: a line each.
 */
#include "release/promises.h"

#include "method/candidates/sql/promise.h"
#include "method/global/sql/global_sql.h"
#include "method/m_distinct/sql/promise.h"
#include "method/sequential/sql/promise.h"

static const Promise promises[] = {
	{"m-invariance", judge_invariance, check_invariance, NULL, NULL, NULL},
	{"cor-split", judge_cor_split, check_cor_split, NULL, NULL, NULL},
	{"m-distinct", judge_distinct_draft, check_distinct, NULL, judge_distinct_import, NULL},
	{"sequential", NULL, check_sequence, NULL, judge_sequence_import, NULL},
	{"global", judge_global, check_global, warn_of_global, NULL, warn_of_new_l},
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

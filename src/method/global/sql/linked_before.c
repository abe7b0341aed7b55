/*
 * linked_before.c
 *		Who is linked too well already when more is promised than was.
 *
 * NOTES
 *		Nothing that is published later takes a link back.  Such people are
 *		withheld whenever they have such a value again (Theorem 2); beyond that
 *		only their owner can do something for them, and must know.
 */
#include "method/global/sql/global_sql.h"

#include "audit/breach.h"
#include "declare/parameters.h"
#include "declare/work.h"
#include "frame/arrays.h"
#include "history/protected.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

typedef struct Counting
{
	uint32		l;
	uint64		npeople;
	Thread		last;			/* who was counted last */
	Code		nvalues;
	bool	   *is_counted;		/* [values] */
} Counting;

static void
count_breach(void *what, const Breach *breach)
{
	Counting   *counting = what;

	if (breach_is_allowed(breach->links, breach->n, counting->l))
		return;
	counting->npeople += breach->person != counting->last;
	counting->last = breach->person;
	counting->nvalues += !counting->is_counted[breach->value];
	counting->is_counted[breach->value] = true;
}

static Counting
count_breaches(const Recalled *recalled, const bool *is_protected, uint32 l)
{
	Counting	counting = {
		.l = l,.last = NO_THREAD,
		.is_counted = new_zeros(bool, recalled->seen.nvalues),
	};

	visit_breaches(statistics_of(&recalled->seen), recalled->people->size, is_protected, count_breach, &counting);
	return counting;
}

static void
warn(const DeclaredPublication *publication, const Counting *counting)
{
	if (counting->npeople == 0)
		return;
	ereport(WARNING,
			(errmsg("releases of publication \"%s\" link " UINT64_FORMAT " of its people too well already to values that are to be protected now",
					publication->name, counting->npeople),
			 errdetail("They link them to %u value(s) with a chance of more than 1/%u. Nothing that is published later takes that back.",
					   counting->nvalues, counting->l),
			 errhint("breach_probability() names them. They will be withheld whenever they have such a value again.")));
}

static uint32
l_of(const DeclaredPublication *publication, Jsonb *params)
{
	return param_values(method_declaration(publication->method), params)[0];
}

void
warn_of_new_values(const DeclaredPublication *publication, Oid old_list, Oid new_list)
{
	OwnersWork	work;
	Recalled   *recalled;
	bool	   *is_old;
	bool	   *is_new;
	Counting	counting;

	work_begin(&work, publication->owner, GetLatestSnapshot());
	recalled = recall(publication);
	is_old = listed_values(publication, old_list, recalled);
	is_new = listed_values(publication, new_list, recalled);
	for (Code value = 0; value < recalled->seen.nvalues; value++)
		is_new[value] &= !is_old[value];
	counting = count_breaches(recalled, is_new, l_of(publication, publication->params));
	work_end(&work);
	warn(publication, &counting);
	MemoryContextDelete(work.context);
}

void
warn_of_new_l(const DeclaredPublication *publication, Jsonb *params)
{
	OwnersWork	work;
	Recalled   *recalled;
	Counting	counting;

	if (l_of(publication, params) <= l_of(publication, publication->params))
		return;
	work_begin(&work, publication->owner, GetLatestSnapshot());
	recalled = recall(publication);
	counting = count_breaches(recalled, protected_values(publication, recalled), l_of(publication, params));
	work_end(&work);
	warn(publication, &counting);
	MemoryContextDelete(work.context);
}

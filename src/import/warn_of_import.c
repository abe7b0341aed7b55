/*
 * warn_of_import.c
 *		Telling the owner what an import breaks of what the publication promises.
 */
#include "postgres.h"

#include "audit/smallest.h"
#include "history/recall.h"
#include "import/import.h"
#include "method/method.h"
#include "release/method_sql.h"
#include "release/past_releases.h"
#include "utils/memutils.h"

void
warn_of_broken_promises(const DeclaredPublication *publication)
{
	Principle	promised = principle_under(publication->method, publication->params);
	const MethodSql *sql = find_method_sql(publication->method);
	const Recalled *recalled;
	uint32		classes;
	uint64		people;

	if (sql->judge_import != NULL)
		sql->judge_import(publication);
	if (find_method(publication->method)->principle == NULL)
		return;
	recalled = recall(publication);
	classes = count_refused_classes(&recalled->seen, publication->releases - 1, &promised);
	people = count_refused(&recalled->seen, atoms_of(&recalled->seen), &promised, recalled->people->size);
	if (classes == 0 && people == 0)
		return;
	ereport(WARNING,
			(errmsg("release %d is less than publication \"%s\" promises", publication->releases, publication->name),
			 errdetail("%u of its %u classes have too few people or sensitive values. All releases together tell " UINT64_FORMAT " of " UINT64_FORMAT " people apart in sets that have.",
					   classes, recalled->seen.release[publication->releases - 1].nclasses,
					   people, recalled->people->size),
			 errhint("What was published stays published: those people will not be published again. pprepub.audit() and pprepub.attack() tell more.")));
}

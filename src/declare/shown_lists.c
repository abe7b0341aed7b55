/*
 * shown_lists.c
 *		Creating TARGET.NAME_releases and TARGET.NAME_answers.
 *
 * NOTES
 *		A table, since analysts cannot read the catalog, and a view of it would show them what its owner may see.
 */
#include "declare/shown_lists.h"

#include "declare/parameters.h"
#include "declare/publication.h"
#include "declare/target_objects.h"
#include "utils/builtins.h"

#define RELEASES_COLUMNS \
	"release pg_catalog.int4, published_at pg_catalog.timestamptz, relation pg_catalog.text, kind pg_catalog.text," \
	" columns pg_catalog.name[], rows pg_catalog.int8, people pg_catalog.int8, withheld_percent pg_catalog.int4, invented_percent pg_catalog.int4," \
	" stale_percent pg_catalog.int4, k pg_catalog.\"numeric\", l pg_catalog.\"numeric\", principle pg_catalog.text, repair pg_catalog.text"

/* Comments on columns, by name; the last has none. */
typedef struct ColumnComment
{
	const char *column;
	const char *comment;
} ColumnComment;

#define PROMISE_COMMENTS \
	{"k", "least number of people who cannot be told apart"}, \
	{"l", "least number of different sensitive values of such people"}, \
	{"principle", "other conditions on sensitive values"}, \
	{"repair", "protection of people whom a gap would expose: \"counterfeit\" invents rows, \"dirty\" shows true rows only"}

static const ColumnComment releases_comments[] = {
	{"release", "number of the release"},
	{"published_at", "time of the release"},
	{"relation", "table of the release"},
	{"kind", "\"everybody\", \"cohort\" (some of the people), or \"imported\" (made elsewhere)"},
	{"columns", "columns that are shown; the others are withheld"},
	{"rows", "rows of a release of everybody, including invented ones"},
	{"people", "people whose rows they are, including invented ones"},
	{"withheld_percent", "withheld people, in whole percent"},
	{"invented_percent", "invented people, in whole percent"},
	{"stale_percent", "rows that show another value than their people have that day, in whole percent, rounded up"},
	PROMISE_COMMENTS,
	{NULL, NULL}
};

static const ColumnComment answers_comments[] = {
	{"answers_used", "answers that the reader has used"},
	{"answers_left", "answers that the reader has left; NULL without a limit"},
	{"answers_per_statement", "answers that one statement may ask for; NULL without a limit"},
	PROMISE_COMMENTS,
	{"max_added", "largest share of added or invented rows in an answer about a cohort"},
	{"noise_spent", "what noisy counts have cost the reader; NULL without the right to ask what is left"},
	{"noise_left", "what they may cost the reader still"},
	{NULL, NULL}
};

static void
comment_on_each(Oid relation, const ColumnComment *comments)
{
	for (; comments->column != NULL; comments++)
		comment_on_column(relation, comments->column, comments->comment);
}

void
create_answers_view(const DeclaredPublication *publication)
{
	Oid			view = make_relation(publication, publication->target, "_answers", "VIEW",
									 psprintf("AS SELECT * FROM pprepub.answers(%s::pg_catalog.regclass)",
											  quote_literal_cstr(quoted_target(publication, "_now"))));

	comment_on_relation(publication, view, "answers that the reader has used and has left, and the rules for each answer");
	comment_on_each(view, answers_comments);
}

void
create_shown_lists(const DeclaredPublication *publication)
{
	Oid			releases = make_relation(publication, publication->target, "_releases", "TABLE", "(" RELEASES_COLUMNS ") USING heap");

	seal_table(releases);		/* nobody can change it */
	comment_on_relation(publication, releases, "releases, one row each");
	comment_on_each(releases, releases_comments);
	if (method_declaration(publication->method)->answers)
		create_answers_view(publication);
}

void
note_shown_lists(const DeclaredPublication *publication)
{
	note_relation(publication, relation_in_target(publication, "_releases"), "releases");
	if (method_declaration(publication->method)->answers)
		note_relation(publication, relation_in_target(publication, "_answers"), "answers_view");
}

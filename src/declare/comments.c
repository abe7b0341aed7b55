/*
 * comments.c
 *		Comments on what stands in TARGET.
 *
 * NOTES
 *		Comments are written without the commands that users write them with, which would run the event triggers for
 *		each column of each release.
 */
#include "declare/comments.h"

#include "access/attnum.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "commands/comment.h"
#include "declare/promise.h"
#include "utils/lsyscache.h"

void
comment_on_relation(const DeclaredPublication *publication, Oid relation, const char *what)
{
	CreateComments(relation, RelationRelationId, 0,
				   psprintf("%s; publication \"%s\" promises %s", what, publication->name, whole_principle(publication)));
	CommandCounterIncrement();
}

/* Explains the cells of a kind. */
static const char *
cell_comment(Kind kind)
{
	switch (kind)
	{
		case KIND_RANGE:
			return "quasi-identifier: range that contains the person's value; (,) if withheld, NULL if the value is missing; operators are those of ranges (&&, <@)";
		case KIND_PREFIX:
			return "quasi-identifier: prefix of the person's value and a star; * if withheld, NULL if the value is missing";
		case KIND_TAXONOMY:
			return "quasi-identifier: taxonomy node that is the person's value or stands above it; the root if withheld, NULL if the value is missing";
		case KIND_SUPPRESS:
			break;
	}
	return "quasi-identifier: the person's value; * if withheld, NULL if the value is missing";
}

/* Explains the values of a kind. */
static const char *
value_comment(Kind kind)
{
	switch (kind)
	{
		case KIND_RANGE:
			return "quasi-identifier: middle of a range that contains the person's value; NULL if withheld or missing";
		case KIND_PREFIX:
			return "quasi-identifier: prefix of the person's value and a star; NULL if withheld or missing";
		case KIND_TAXONOMY:
			return "quasi-identifier: taxonomy node that is the person's value or stands above it; NULL if withheld or missing";
		case KIND_SUPPRESS:
			break;
	}
	return "quasi-identifier: the person's value; NULL if withheld or missing";
}

static const char *
column_comment(const DeclaredColumn *column, ShownAs shown)
{
	if (is_sensitive(column))
		return "sensitive: the person's own value";
	if (column->role != ROLE_QUASI_IDENTIFIER)
		return "insensitive: the person's own value";
	return shown == SHOWN_AS_CELLS ? cell_comment(column->kind) : value_comment(column->kind);
}

void
comment_on_column(Oid relation, const char *name, const char *comment)
{
	AttrNumber	attribute = get_attnum(relation, name);

	if (attribute != InvalidAttrNumber)
		CreateComments(relation, RelationRelationId, attribute, comment);
}

void
comment_on_columns(const DeclaredPublication *publication, Oid relation, ShownAs shown)
{
	comment_on_column(relation, "class",
					  psprintf("rows of one release with the same number cannot be told apart (%s)", whole_principle(publication)));
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role != ROLE_KEY)
			comment_on_column(relation, publication->columns[i].name, column_comment(&publication->columns[i], shown));
	if (shown == SHOWN_AS_VALUES)
		comment_on_column(relation, free_column_name(publication, "cells"), "cells of the quasi-identifiers as releases print them, by column");
	CommandCounterIncrement();
}

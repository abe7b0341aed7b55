/*
 * report.c
 *		report(): a page about a publication, to sign or to refuse.
 */
#include "postgres.h"

#include "declare/catalog.h"
#include "declare/work.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "report/page/page.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(pprepub_report);

/* The page while it is made: parts that stand behind each other. */
typedef struct Pages
{
	const DeclaredPublication *publication;
	bool		is_internal;
	int32		newest;
	bool		is_joined;
	StringInfo	told_before;	/* in front of figures of the log */
	StringInfo	looked_up;
	StringInfo	told_after;
} Pages;

/* A section that may fail, since the source is read for it. */
typedef struct Section
{
	void		(*put) (StringInfo page, const DeclaredPublication *publication, bool *is_joined);
	StringInfo	page;
	const DeclaredPublication *publication;
	bool	   *is_joined;
} Section;

static void
put_section(void *what)
{
	Section    *section = what;

	section->put(section->page, section->publication, section->is_joined);
}

/* Puts a section, or a sentence that says that it could not be made: a page that says so can be refused. */
static void
put_or_say(Pages *pages, StringInfo page, const char *anchor, const char *title,
		   void (*put) (StringInfo page, const DeclaredPublication *publication, bool *is_joined))
{
	Section		section = {put, page, pages->publication, &pages->is_joined};
	int			length = page->len;
	ErrorData  *error = look_in_subtransaction(put_section, &section);

	if (error == NULL)
		return;
	if (is_transient(error->sqlerrcode))
		ThrowErrorData(error);
	page->len = length;
	page->data[length] = '\0';
	html_heading(page, anchor, title);
	if (pages->is_internal)
		appendStringInfo(page, "<p class=\"verdict bad\">Do not sign: this could not be computed: %s (SQLSTATE %s).</p>\n",
						 html_text(error->message), unpack_sql_state(error->sqlerrcode));
	else
		appendStringInfoString(page, "<p class=\"verdict bad\">Do not sign: this could not be computed; the owner's internal report says why.</p>\n");
}

/* Fills in what the caller may ask for, with the rights of the caller and the settings of all our work. */
static void
tell(Pages *pages)
{
	const DeclaredPublication *publication = pages->publication;
	Identity	before;

	act_as(&before, GetUserId());
	SPI_connect();
	pages->newest = newest_release(publication);
	put_or_say(pages, pages->told_before, "verdict", "Verdict", put_verdict);
	put_declaration(pages->told_before, publication);
	put_releases(pages->told_before, publication);
	if (publication->releases > 0)
		put_or_say(pages, pages->told_after, "linkability", "How far releases can be joined back to people", put_linkability);
	put_askers(pages->told_after, publication);
	if (pages->is_internal)
		put_or_say(pages, pages->told_after, "people", "People at risk (internal: do not pass on)", put_people_at_risk);
	SPI_finish();
	act_as_before(&before);
}

/* Fills in figures of the log and of release tables, as the owner. */
static void
look_up(Pages *pages, StringInfo checksums, OwnersWork *work)
{
	const DeclaredPublication *publication = pages->publication;

	work_begin(work, publication->owner, GetActiveSnapshot());
	if (publication->releases > 0)
		put_sizes(pages->looked_up, publication, pages->newest);
	put_values(pages->looked_up, publication);
	if (pages->newest > 0)
		put_columns(pages->looked_up, publication, pages->newest);
	put_checksums(checksums, publication);
	work_close(work);
}

/* Names the limits of all checks; docs/explanation/not_promised.md has all of them. */
static void
put_not_promised(StringInfo page)
{
	static const char *const limits[] = {
		"It says nothing about observers who know sensitive values of people in the releases, or what relates people to each other.",
		"Releases of the same people elsewhere, or by publications that are judged apart, are not looked at.",
		"Insensitive columns leave as they are. Nobody may know them of a person.",
		"A set of people with several sensitive values can still be telling, where the values mean nearly the same.",
		"The owner and superusers can read the source, and can change what this page is computed from.",
		"People who are withheld are protected; others who know of them learn that they are withheld, and no more.",
	};

	html_heading(page, "not-promised", "What is not promised");
	appendStringInfoString(page, "<ul>\n");
	for (int i = 0; i < (int) lengthof(limits); i++)
		appendStringInfo(page, "<li>%s</li>\n", html_text(limits[i]));
	appendStringInfoString(page, "</ul>\n");
}

static void
put_signature(StringInfo page)
{
	html_heading(page, "signature", "Signature");
	appendStringInfoString(page, "<table class=\"sign\"><caption>To be filled in by hand</caption><tbody>\n"
						   "<tr><th scope=\"row\">Accepted or refused</th><td></td></tr><tr><th scope=\"row\">Name</th><td></td></tr>"
						   "<tr><th scope=\"row\">Date and signature</th><td></td></tr>\n</tbody></table>\n");
}

/* Makes the page. */
static Datum
make_report(FunctionCallInfo fcinfo)
{
	bool		is_internal = !PG_ARGISNULL(1) && PG_GETARG_BOOL(1);
	const char *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication = publication_look(name, true);
	OwnersWork	work;
	Pages		pages = {
		.publication = publication,
		.is_joined = true,
		.is_internal = is_internal,
		.told_before = makeStringInfo(),
		.looked_up = makeStringInfo(),
		.told_after = makeStringInfo(),
	};
	StringInfo	checksums = makeStringInfo();
	StringInfo	page = makeStringInfo();

	if (is_internal && !has_rights_of(publication->owner))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of publication \"%s\" for an internal report", publication->name),
				 errdetail("It names people."),
				 errhint("pprepub.report(%s) names nobody.", quote_literal_cstr(publication->name))));
	if (!is_internal)
		hide_data();
	tell(&pages);
	look_up(&pages, checksums, &work);
	html_begin(page, psprintf("%s of publication %s", is_internal ? "Internal report" : "Report", publication->name));
	appendStringInfoString(page, pages.told_before->data);
	appendStringInfoString(page, pages.looked_up->data);
	appendStringInfoString(page, pages.told_after->data);
	put_not_promised(page);
	appendStringInfoString(page, checksums->data);
	put_signature(page);
	html_end(page);
	return PointerGetDatum(cstring_to_text_with_len(page->data, page->len));
}

Datum
pprepub_report(PG_FUNCTION_ARGS)
{
	return for_auditors(fcinfo, make_report);
}

/*
 * html.c
 *		Writing a page in HTML.
 */
#include "report/page/html.h"

#include <math.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"

/* Appends a character as ASCII: a reference where it is markup, or no ASCII; what XML cannot hold is replaced. */
static void
append_character(StringInfo text, pg_wchar c)
{
	bool		is_none = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f || c == 0xfffe || c == 0xffff ||
		(c >= 0xd800 && c < 0xe000) || c > 0x10ffff;

	if (is_none)
		appendStringInfoString(text, "&#xFFFD;");
	else if (c >= 0x80 || strchr("&<>\"'", (int) c) != NULL)
		appendStringInfo(text, "&#x%X;", (unsigned int) c);
	else
		appendStringInfoChar(text, (char) c);
}

char *
html_text(const char *text)
{
	StringInfoData escaped;

	/* In a database of SQL_ASCII nobody knows what bytes beyond ASCII mean, and nothing may be asked of them. */
	const char *utf8 = GetDatabaseEncoding() == PG_SQL_ASCII ? text : pg_server_to_any(text, strlen(text), PG_UTF8);
	const unsigned char *end = (const unsigned char *) utf8 + strlen(utf8);

	initStringInfo(&escaped);
	for (const unsigned char *c = (const unsigned char *) utf8; c < end;)
	{
		int			length = pg_utf_mblen(c);

		if (length > end - c || !pg_utf8_islegal(c, length))
		{
			append_character(&escaped, 0xfffe);
			c++;
			continue;
		}
		append_character(&escaped, utf8_to_unicode(c));
		c += length;
	}
	return escaped.data;
}

char *
html_number(double number)
{
	if (isnan(number))
		return pstrdup("unknown");
	if (fabs(number) >= 100 || number == rint(number))
		return psprintf("%.0f", number);
	return psprintf("%.4g", number);
}

void
html_heading(StringInfo page, const char *anchor, const char *text)
{
	appendStringInfo(page, "<h2 id=\"%s\">%s</h2>\n", anchor, html_text(text));
}

void
html_paragraph(StringInfo page, const char *text)
{
	appendStringInfo(page, "<p>%s</p>\n", html_text(text));
}

/* Light and dark, a phone and A4; contrasts are 4.5 to 1 and more. */
static const char style[] =
":root{--ink:#1b1b1b;--paper:#fff;--soft:#595959;--line:#d0d0d0;--good:#155724;--bad:#a11420;--open:#7a4b00;--a:#0b5394;--b:#a11420;--c:#4b6b00}\n"
"@media (prefers-color-scheme:dark){:root{--ink:#ececec;--paper:#161616;--soft:#b0b0b0;--line:#484848;--good:#7ddc9a;--bad:#ff8f98;--open:#f2c063;--a:#8ab8ff;--b:#ff8f98;--c:#c0dc6c}}\n"
"body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:0 auto;padding:1rem}\n"
"h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.2rem;margin-top:2rem;border-bottom:1px solid var(--line)}\n"
"p,li{max-width:46rem}.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;margin:.5rem 0}\n"
"caption{text-align:left;color:var(--soft)}th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;overflow-wrap:anywhere}\n"
"th{white-space:nowrap}.number{text-align:right;white-space:nowrap}.verdict{font-size:1.2rem;font-weight:600;border-left:.4rem solid;padding:.3rem .8rem}\n"
".good{color:var(--good)}.bad{color:var(--bad)}.open{color:var(--open)}\n"
"svg{width:100%;max-width:44rem;height:auto}svg text{fill:var(--ink);font-size:12px}.grid{stroke:var(--line)}\n"
".s0{stroke:var(--a);fill:none}.s1{stroke:var(--b);fill:none;stroke-dasharray:6 3}.s2{stroke:var(--c);fill:none;stroke-dasharray:2 3}\n"
".bar{fill:var(--a)}.low{fill:var(--b)}.sign{width:100%;max-width:30rem}.sign th{white-space:normal}.sign td{height:2.5rem;width:60%}\n"
"@page{size:A4;margin:18mm}\n"
"@media print{:root{--ink:#000;--paper:#fff;--soft:#444;--line:#bbb;--good:#155724;--bad:#a11420;--open:#7a4b00;--a:#0b5394;--b:#a11420;--c:#4b6b00}"
"body{max-width:none;padding:0;font-size:10pt}h2{break-after:avoid}figure,tr{break-inside:avoid}details{display:block}}\n";

void
html_begin(StringInfo page, const char *title)
{
	char	   *escaped = html_text(title);

	appendStringInfo(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
					 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
					 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#x27;none&#x27;; style-src &#x27;unsafe-inline&#x27;\"/>\n"
					 "<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<h1>%s</h1>\n", escaped, style, escaped);
}

void
html_end(StringInfo page)
{
	appendStringInfoString(page, "</main>\n</body>\n</html>\n");
}

/* ----------------------------------------------------------------
 * Tables
 * ----------------------------------------------------------------
 */

static bool
is_number(const char *heading)
{
	return heading[0] == '#';
}

void
html_table_begin(StringInfo page, const char *caption, const char *const *headings, int n)
{
	appendStringInfo(page, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n<table>\n<caption>%s</caption>\n<thead><tr>",
					 html_text(caption), html_text(caption));
	for (int i = 0; i < n; i++)
		appendStringInfo(page, "<th scope=\"col\"%s>%s</th>", is_number(headings[i]) ? " class=\"number\"" : "",
						 html_text(headings[i] + is_number(headings[i])));
	appendStringInfoString(page, "</tr></thead>\n<tbody>\n");
}

void
html_row(StringInfo page, const char *const *headings, const char *const *cells, int n, const char *class)
{
	CHECK_FOR_INTERRUPTS();
	appendStringInfoString(page, class == NULL ? "<tr>" : psprintf("<tr class=\"%s\">", class));
	for (int i = 0; i < n; i++)
	{
		const char *tag = i == 0 ? "th" : "td";

		appendStringInfo(page, "<%s%s%s>%s</%s>", tag, i == 0 ? " scope=\"row\"" : "", is_number(headings[i]) ? " class=\"number\"" : "",
						 cells[i] == NULL ? "&#x2013;" : html_text(cells[i]), tag);
	}
	appendStringInfoString(page, "</tr>\n");
}

void
html_table_end(StringInfo page)
{
	appendStringInfoString(page, "</tbody>\n</table>\n</div>\n");
}

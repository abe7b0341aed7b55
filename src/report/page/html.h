/*
 * html.h
 *		Writing a page in HTML.
 *
 * All text from outside goes through html_text(), so no name and no value can be markup.  What is written is ASCII alone,
 * whatever the encoding of database and client, and well-formed XML, so that programs can read the page as well.
 */
#ifndef PPREPUB_REPORT_PAGE_HTML_H
#define PPREPUB_REPORT_PAGE_HTML_H

#include "postgres.h"

#include "lib/stringinfo.h"

/* Text of the database's encoding as HTML shows it, in a content or in an attribute. */
extern char *html_text(const char *text);

/* A number with up to four digits behind the point; "unknown" for NaN. */
extern char *html_number(double number);

/* A heading with an anchor, and a paragraph; the text is escaped. */
extern void html_heading(StringInfo page, const char *anchor, const char *text);
extern void html_paragraph(StringInfo page, const char *text);

/* The start of a page, with its style, and its end. */
extern void html_begin(StringInfo page, const char *title);
extern void html_end(StringInfo page);

/*
 * A table: a caption, a heading for each column, and rows.  A heading that begins with # is of a column of numbers,
 * which are put to the right.  NULL is shown as a dash.
 */
extern void html_table_begin(StringInfo page, const char *caption, const char *const *headings, int n);
extern void html_row(StringInfo page, const char *const *headings, const char *const *cells, int n, const char *class);
extern void html_table_end(StringInfo page);

#endif							/* PPREPUB_REPORT_PAGE_HTML_H */

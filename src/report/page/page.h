/*
 * page.h
 *		The sections of report(), which put themselves at the end of a page.
 */
#ifndef PPREPUB_REPORT_PAGE_PAGE_H
#define PPREPUB_REPORT_PAGE_PAGE_H

#include "declare/publication.h"
#include "report/page/html.h"

/* ---- told.c: what the caller may ask for in SQL; called as the caller, inside SPI ---- */

/* The newest release of everybody that has a table, or 0. */
extern int32 newest_release(const DeclaredPublication *publication);

/* Sections that may fail.  *is_joined: did the steps of a search suffice to join all releases? */
extern void put_verdict(StringInfo page, const DeclaredPublication *publication, bool *is_joined);
extern void put_linkability(StringInfo page, const DeclaredPublication *publication, bool *is_joined);
extern void put_people_at_risk(StringInfo page, const DeclaredPublication *publication, bool *is_joined);

extern void put_declaration(StringInfo page, const DeclaredPublication *publication);
extern void put_releases(StringInfo page, const DeclaredPublication *publication);
extern void put_askers(StringInfo page, const DeclaredPublication *publication);

/* ---- looked_up.c: figures of the log and of release tables; called as the owner, inside SPI ---- */

extern void put_sizes(StringInfo page, const DeclaredPublication *publication, int32 release);
extern void put_values(StringInfo page, const DeclaredPublication *publication);
extern void put_columns(StringInfo page, const DeclaredPublication *publication, int32 release);
extern void put_checksums(StringInfo page, const DeclaredPublication *publication);

#endif							/* PPREPUB_REPORT_PAGE_PAGE_H */

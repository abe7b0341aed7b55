/*
 * target_views.h
 *		What shows releases of everybody with all columns in TARGET: the views NAME
 *		and NAME_values the newest, the foreign table NAME_all every one of them.
 */
#ifndef PPREPUB_RELEASE_TARGET_VIEWS_H
#define PPREPUB_RELEASE_TARGET_VIEWS_H

#include "postgres.h"

#include "declare/publication.h"

/* Called as the owner, inside SPI: shows a release in all of them, which are made with the first one. */
extern void show_newest(const DeclaredPublication *publication, Oid table);

/* Gives the roles that may read the view NAME the right to read a release that it does not show; a NOTICE says so. */
extern void leave_views(const DeclaredPublication *publication, Oid table);

/* The view NAME_counterfeits of the numbers of invented rows, for roles that the owner lets read it. */
extern void show_counterfeits(const DeclaredPublication *publication);

#endif							/* PPREPUB_RELEASE_TARGET_VIEWS_H */

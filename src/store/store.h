/*
 * store.h
 *		The access method's start, when the module is loaded.
 *
 * Nothing of it needs the module to be preloaded: whoever plans or writes a table
 * of ours has loaded it, with the handler, when the table was opened.
 */
#ifndef PPREPUB_STORE_STORE_H
#define PPREPUB_STORE_STORE_H

#include "postgres.h"

extern void start_store(void);

#endif							/* PPREPUB_STORE_STORE_H */

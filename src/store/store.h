/*
 * store.h
 *		The access method's start, when the module is loaded.
 *
 * The module need not be preloaded: a backend that plans or writes a table of
 * ours has loaded it, with the handler, when it opened the table.
 */
#ifndef PPREPUB_STORE_STORE_H
#define PPREPUB_STORE_STORE_H

#include "postgres.h"

extern void start_store(void);

#endif							/* PPREPUB_STORE_STORE_H */

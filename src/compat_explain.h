/*
 * compat_explain.h
 *		commands/explain.h, with all that it had until PostgreSQL 17.  See compat.h.
 */
#ifndef PPREPUB_COMPAT_EXPLAIN_H
#define PPREPUB_COMPAT_EXPLAIN_H

#include "postgres.h"

#include "commands/explain.h"
#include "compat.h"
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif

#endif							/* PPREPUB_COMPAT_EXPLAIN_H */

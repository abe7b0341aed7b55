/*
 * texts.h
 *		Values of any column as text: what value::text gives in SQL.
 */
#ifndef PPREPUB_HISTORY_TEXTS_H
#define PPREPUB_HISTORY_TEXTS_H

#include "postgres.h"

#include "declare/publication.h"

typedef struct TextCast TextCast;

/* Prepares the cast.  Callers act as the owner, since casts and output functions of the column's type run. */
extern TextCast *text_cast_create(const DeclaredColumn *column);

/* Casts a value in the current context; *isnull is set if the cast returns NULL. */
extern Datum text_cast(TextCast *cast, Datum value, bool *isnull);

#endif							/* PPREPUB_HISTORY_TEXTS_H */

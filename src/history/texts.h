/*
 * texts.h
 *		Values of any column as text: what value::text gives in SQL.
 */
#ifndef PPREPUB_HISTORY_TEXTS_H
#define PPREPUB_HISTORY_TEXTS_H

#include "postgres.h"

#include "declare/publication.h"

typedef struct TextCast TextCast;

/* Runs casts and output functions of the column's type, so to be used as the owner. */
extern TextCast *text_cast_create(const DeclaredColumn *column);

/* In the current context; *isnull if the cast makes a NULL of it. */
extern Datum text_cast(TextCast *cast, Datum value, bool *isnull);

#endif							/* PPREPUB_HISTORY_TEXTS_H */

/*
 * string_map.h
 *		A map from strings to numbers: names to nodes, values to codes.
 */
#ifndef PPREPUB_SHARED_STRING_MAP_H
#define PPREPUB_SHARED_STRING_MAP_H

#include "postgres.h"

#include "common/hashfn.h"

typedef struct StringMapEntry
{
	const char *key;			/* borrowed; ends with a zero byte */
	uint32		hash;
	uint32		number;
	char		status;			/* simplehash's own */
} StringMapEntry;

#define SH_PREFIX string_map
#define SH_ELEMENT_TYPE StringMapEntry
#define SH_KEY_TYPE const char *
#define SH_KEY key
#define SH_HASH_KEY(tb, key) hash_bytes((const unsigned char *) (key), strlen(key))
#define SH_EQUAL(tb, a, b) (strcmp((a), (b)) == 0)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, entry) (entry)->hash
#define SH_SCOPE pg_attribute_unused() static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

#endif							/* PPREPUB_SHARED_STRING_MAP_H */

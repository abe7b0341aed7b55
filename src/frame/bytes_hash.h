/*
 * bytes_hash.h
 *		Hashing and comparing bytes for tables in memory: fast for short strings.
 *		The hash is keyed, so that authors of data cannot make values collide.
 *
 * Words are multiplied to twice their width, and both halves of the product are
 * used.  Keys differ from process to process, so these hashes must not be stored.
 */
#ifndef PPREPUB_FRAME_BYTES_HASH_H
#define PPREPUB_FRAME_BYTES_HASH_H

#include "postgres.h"

#include "common/hashfn.h"

typedef struct HashKey
{
	uint64		first;
	uint64		last;
} HashKey;

static inline uint64
word_at(const char *bytes)
{
	uint64		word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static inline uint64
half_word_at(const char *bytes)
{
	uint32		word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

#ifdef HAVE_INT128

static inline uint64
multiply_words(uint64 a, uint64 b)
{
	uint128		product = (uint128) a * b;

	return (uint64) product ^ (uint64) (product >> 64);
}

static inline uint32
hash_keyed(const HashKey *key, const char *bytes, uint64 n)
{
	uint64		state = key->last ^ n;
	uint64		first = 0;
	uint64		last = 0;

	for (; n > 16; n -= 16, bytes += 16)
		state = multiply_words(word_at(bytes) ^ key->first, word_at(bytes + 8) ^ state);
	if (n >= 8)
	{
		first = word_at(bytes);
		last = word_at(bytes + n - 8);
	}
	else if (n >= 4)
	{
		first = half_word_at(bytes);
		last = half_word_at(bytes + n - 4);
	}
	else if (n > 0)
		first = (uint64) (unsigned char) bytes[0] << 16 |
			(uint64) (unsigned char) bytes[n / 2] << 8 | (unsigned char) bytes[n - 1];
	return (uint32) multiply_words(first ^ key->first, last ^ state);
}

#else

static inline uint32
hash_keyed(const HashKey *key, const char *bytes, uint64 n)
{
	return (uint32) hash_bytes_extended((const unsigned char *) bytes, n, key->first);
}

#endif

/* Compares two strings of n bytes without a function call for short ones, which are the most frequent. */
static inline bool
same_bytes(const char *a, const char *b, uint64 n)
{
	if (n < 4 || n > 16)
		return memcmp(a, b, n) == 0;
	if (n < 8)
		return half_word_at(a) == half_word_at(b) && half_word_at(a + n - 4) == half_word_at(b + n - 4);
	return word_at(a) == word_at(b) && word_at(a + n - 8) == word_at(b + n - 8);
}

#endif							/* PPREPUB_FRAME_BYTES_HASH_H */

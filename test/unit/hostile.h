/*
 * hostile.h
 *		Does to bytes that may be anything all that can be done to a column.
 */
#ifndef PPREPUB_TEST_HOSTILE_H
#define PPREPUB_TEST_HOSTILE_H

#include "store/encoding/encoding.h"

/*
 * Opens, decodes and verifies; looks at every byte of what comes out.  Says
 * whether it was taken for a column at all.  What is amiss is found by the
 * sanitizers, by assertions, and here, where more memory is taken than allowed.
 */
extern bool decode_anything(const ColumnShape *shape, const char *bytes, Size length, uint32 nrows);

#endif							/* PPREPUB_TEST_HOSTILE_H */

/*
 * class_numbers.h
 *		The numbers by which the history knows the classes of a draft.
 */
#ifndef PPREPUB_RELEASE_CLASS_NUMBERS_H
#define PPREPUB_RELEASE_CLASS_NUMBERS_H

#include "postgres.h"

#include "release/release.h"

/* [classes] from 1 on: in the order in which they leave, or, where rows show no class, as row_classes.h says. */
extern int64 *class_numbers(const ReleaseBuild *build, const uint32 *order);

#endif							/* PPREPUB_RELEASE_CLASS_NUMBERS_H */

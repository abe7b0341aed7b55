/*
 * boxes.h
 *		How many points lie in boxes: people of a registry in the cells of classes.
 */
#ifndef PPREPUB_AUDIT_BOXES_H
#define PPREPUB_AUDIT_BOXES_H

#include "frame/span.h"

typedef struct PointTree PointTree;

/*
 * Makes a tree of n points with their weights, which are borrowed: code[i * width + c] is where
 * point i stands in column c.
 */
extern PointTree *points_create(const Code *code, const uint64 *weight, uint32 n, int width);

/* The weight of all points in box[width]; each span holds its ends. */
extern uint64 points_in_box(const PointTree *tree, const Span *box);

#endif							/* PPREPUB_AUDIT_BOXES_H */

/*
 * cache.h
 *		Groups that were opened recently.
 *
 * A group's contents never change, so it is identified by its place and its stamp;
 * its header is looked up each time, under the snapshot that must see it.
 */
#ifndef PPREPUB_STORE_CACHE_H
#define PPREPUB_STORE_CACHE_H

#include "postgres.h"

#include "store/group.h"

/*
 * The group of a header; it is the caller's until the next call of this.  Its
 * reader is set, and must be taken away again with done_with_group.
 */
extern RowGroup *cached_group(ChunkReader *reader, const Chunk *header);
extern void done_with_group(RowGroup *group);

/*
 * A caller may use its group again as long as this number stays the same: no
 * group has been evicted since.
 */
extern uint64 cache_generation(void);
extern void use_group_again(RowGroup *group, ChunkReader *reader);

#endif							/* PPREPUB_STORE_CACHE_H */

/*
 * cache.h
 *		Groups that were opened lately.
 *
 * What a group holds never changes, so a group is known by where it is and by its
 * stamp; whether somebody may see it is asked of its header each time.
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
 * Who has got a group may use it again as long as this number stays the same: until
 * then none was given up.
 */
extern uint64 cache_generation(void);
extern void use_group_again(RowGroup *group, ChunkReader *reader);

#endif							/* PPREPUB_STORE_CACHE_H */

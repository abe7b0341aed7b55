/*
 * width.h
 *		How wide the lines of a cohort are in all of the source.
 */
#ifndef PPREPUB_FRAME_WIDTH_H
#define PPREPUB_FRAME_WIDTH_H

#include "postgres.h"

#include "frame/load.h"

/*
 * Sets the source_width of all lines, for who measures what a release of a
 * cohort has lost.  As the owner, inside SPI, under the snapshot that the
 * cohort was read under.  Asks for the least and the greatest values only,
 * which indexes know.
 */
extern void read_widths(LoadedFrame *loaded, const DeclaredPublication *publication);

#endif							/* PPREPUB_FRAME_WIDTH_H */

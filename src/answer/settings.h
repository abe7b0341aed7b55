/*
 * settings.h
 *		The settings of pprepub.
 */
#ifndef PPREPUB_ANSWER_SETTINGS_H
#define PPREPUB_ANSWER_SETTINGS_H

extern int	answer_wait;		/* milliseconds that a question waits for a worker */
extern int	answer_linger;		/* milliseconds that a worker rests for the next one, or 0 */
extern int	answer_workers;		/* of one owner that are of use at once; 0: processors */
extern int	answer_time_grid;	/* milliseconds, or 0 */

extern void define_settings(void);

#endif							/* PPREPUB_ANSWER_SETTINGS_H */

/*
 * progress.h
 *		Where a long command is, for the owner of the publication, and for the auditor
 *		who has called it, to see in other sessions: pprepub.progress.
 *
 * A command begins, says which phase it is in, and counts what it has done.  Code
 * in all rooms may say phases and count, pure rooms, too, whether or not a command
 * has begun: answers, for one, never do, and nothing is told of them.
 */
#ifndef PPREPUB_SHARED_PROGRESS_H
#define PPREPUB_SHARED_PROGRESS_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "port/atomics.h"

#define NO_TOTAL		0		/* it is not known how much there is to do */

/* Counts for the command that is shown, in its phase; NULL where no command is. */
extern pg_atomic_uint64 *progress_counter;

/*
 * Begins a command on a publication, and ends it.  Nothing need be done on error.  Of a command that another one runs,
 * as a source's own code may, nothing is shown: the outer one stays where it is.  A session whose postmaster has gone
 * ends in the middle of a command, where it checks for interrupts.
 */
extern void progress_begin(const char *command, Oid owner, const char *publication);
extern void progress_end(void);

/* From here on, the command does this, and has done nothing of it.  The words are constants for people: "store rows". */
extern void progress_phase(const char *phase, uint64 total);

/* So much more is done of the phase; cheap enough for each row. */
static inline void
progress_step(uint64 n)
{
	/* Nobody else writes here, so no atomic addition is needed, which costs more. */
	if (progress_counter != NULL)
		pg_atomic_write_u64(progress_counter, pg_atomic_read_u64(progress_counter) + n);
}

/* So much is done of the phase in all, whatever steps have counted. */
static inline void
progress_done(uint64 n)
{
	if (progress_counter != NULL)
		pg_atomic_write_u64(progress_counter, n);
}

/* So much is done by now: for a trial that counts, too, whose steps progress_done() takes back. */
static inline uint64
progress_so_far(void)
{
	return progress_counter == NULL ? 0 : pg_atomic_read_u64(progress_counter);
}

/* How long the command has been in a phase, in all. */
typedef struct PhaseTime
{
	const char *phase;
	double		seconds;
} PhaseTime;

#define MOST_PHASES		32		/* of a command; later ones are counted to the last */

/* The phases of the command so far, in the order of their beginnings; none, where no command is shown. Returns how many. */
extern int	progress_times(PhaseTime list[MOST_PHASES]);

/* ---- for those who look ---- */

/* A word of a row: long enough for all commands and phases. */
#define PROGRESS_WORD	32

/* A command that runs somewhere in the server. */
typedef struct ProgressRow
{
	int			pid;
	Oid			database;
	Oid			owner;			/* of the publication, when the command began */
	Oid			caller;			/* the role that the session has chosen */
	char		publication[NAMEDATALEN];
	char		command[PROGRESS_WORD];
	char		phase[PROGRESS_WORD];
	uint64		done;
	uint64		total;			/* or NO_TOTAL */
	TimestampTz since;
	TimestampTz phase_since;
} ProgressRow;

/* All commands that run now, of all databases; whoever calls it decides who may see which. */
extern ProgressRow *progress_rows(int *n);

#endif							/* PPREPUB_SHARED_PROGRESS_H */

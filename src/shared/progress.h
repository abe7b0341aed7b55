/*
 * progress.h
 *		Where a long command is, for the owner of the publication, and for the auditor who has called it, to see in other
 *		sessions: pprepub.progress.  Memory that sessions share, made at run time, which that needs.  How much a search may do.
 *
 * A command begins, says which phase it is in, and counts what it has done.  Code in all rooms may say phases and count, pure
 * rooms, too, whether or not a command has begun: answers, for one, never do, and nothing is told of them.
 */
#ifndef PPREPUB_SHARED_PROGRESS_H
#define PPREPUB_SHARED_PROGRESS_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "port/atomics.h"

#define NO_TOTAL		0		/* it is not known how much there is to do */
#define MOST_PHASES		32		/* of a command; later ones are counted to the last */
#define PROGRESS_WORD	32		/* long enough for all commands and phases */

/* Counts for the command that is shown, in its phase; NULL where no command is. */
extern pg_atomic_uint64 *progress_counter;

/*
 * Begins a command on a publication, and ends it.  Nothing need be done on error.  Of a command that another one runs, as a
 * source's own code may, nothing is shown: the outer one stays where it is.  A session whose postmaster has gone ends in the
 * middle of a command, where it checks for interrupts.
 */
extern void progress_begin(const char *command, Oid owner, const char *publication);
extern void progress_end(void);

/* From here on, the command does this, and has done nothing of it.  The words are constants for people: "store rows". */
extern void progress_phase(const char *phase, uint64 total);

/* So much is done of the phase in all, whatever steps have counted. */
static inline void
progress_done(uint64 n)
{
	/* Nobody else writes here, so no atomic addition is needed, which costs more. */
	if (progress_counter != NULL)
		pg_atomic_write_u64(progress_counter, n);
}

/* So much is done by now. */
static inline uint64
progress_so_far(void)
{
	return progress_counter == NULL ? 0 : pg_atomic_read_u64(progress_counter);
}

/* So much more is done of the phase; cheap enough for each row. */
static inline void
progress_step(uint64 n)
{
	progress_done(progress_so_far() + n);
}

/* How long the command has been in a phase, in all; its phases in the order of their beginnings; none, where it is not shown. */
typedef struct PhaseTime
{
	const char *phase;
	double		seconds;
} PhaseTime;

extern int	progress_times(PhaseTime list[MOST_PHASES]);

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

/* All commands that run now, of all databases; callers decide which may be seen by whom. */
extern ProgressRow *progress_rows(int *n);

/*
 * Finds the memory of this name, or allocates it and has it initialized, which must not fail.  NULL, rather than an error,
 * when shared memory has no room for it.  It stays allocated until the server restarts, whatever library is installed
 * meanwhile.  So its name carries a version, to be raised with each change of what it holds.  Nothing need be preloaded.
 */
extern void *memory_of_sessions(const char *name, Size size, void (*initialize) (void *fresh));

/*
 * A search that may take very long runs within a number of steps, and code in all rooms takes them: for whatever its time and
 * its memory grow with.  Steps and not seconds, so that the same data lead to the same end.  NULL for any number; code that
 * sets it sets it back, on error, too.
 */
extern uint64 *steps_left;

/* Takes so many steps; an error, and none are left, if they are not (steps.c). */
extern void take_steps(uint64 n);

#endif							/* PPREPUB_SHARED_PROGRESS_H */

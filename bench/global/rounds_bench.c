/*
 * rounds_bench.c
 *		Method global over many rounds, in memory: where its time goes, and whether
 *		it stays the same.
 *
 * Usage:
 *		rounds_bench ROWS ROUNDS STAY CHANGE PROTECTED L RELEASES|aALPHA
 *
 * Each round is about ROWS people, STAY percent of whom were in the round before
 * it; CHANGE percent of the values are drawn anew.  PROTECTED: the rarest values
 * that so many percent of the rows have.  Times are those of the processor.
 */
#include "shim.h"

#include "bench.h"

#include "audit/breach.h"
#include "method/method.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define POPULATION 3			/* times as many people as a round has */

typedef struct Bench
{
	/* Parameters */
	uint64		rows;
	int			rounds;
	double		stay;
	double		change;
	int64		params[7];

	/* Everybody */
	uint64		npeople;
	Frame	   *people;
	bool	   *is_protected;	/* [values] */
	bool	   *is_in;			/* [people] the round at hand */
	Code	   *value;			/* [people] */

	/* The past: classes of all rounds, and everybody's, the newest first */
	uint32		nclasses;
	uint64	   *first_value;
	Code	   *shown;
	uint32	   *last;			/* [people] a step, or NO_ROW */
	uint64		nsteps;
	uint32	   *before;			/* [steps] */
	uint32	   *class;			/* [steps] */

	/* The round at hand */
	Frame		frame;
	uint64	   *person;			/* [rows] */
	Paths		paths;
	Past		past;
} Bench;

static Bench bench;

static double
cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Between 0 and 1, the same for the same three numbers */
static double
chance(uint64 a, uint64 b, uint64 c)
{
	uint64		z = a * UINT64CONST(0x9E3779B97F4A7C15) + b * UINT64CONST(0xBF58476D1CE4E5B9) + c * UINT64CONST(0x94D049BB133111EB);

	z = (z ^ (z >> 30)) * UINT64CONST(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64CONST(0x94D049BB133111EB);
	return ((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static void *
allocate(Size width, uint64 n)
{
	return palloc_extended(width * (n + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* The rarest values, as many as so many percent of the people have. */
static void
protect(double percent)
{
	const Frame *people = bench.people;
	uint64	   *count = allocate(sizeof(uint64), people->nsensitive);

	bench.is_protected = allocate(sizeof(bool), people->nsensitive);
	for (uint64 i = 0; i < people->nrows; i++)
		count[people->sensitive[i]]++;
	for (Code v = 0; v < people->nsensitive; v++)
	{
		uint64		upto = 0;

		for (Code other = 0; other < people->nsensitive; other++)
			if (count[other] < count[v] || (count[other] == count[v] && other <= v))
				upto += count[other];
		bench.is_protected[v] = upto <= people->nrows * percent / 100;
	}
}

static void
begin(void)
{
	uint64		published = bench.rows * (bench.rounds + 1);

	bench.npeople = bench.rows * POPULATION;
	bench.people = synthetic_census(bench.npeople);
	bench.is_in = allocate(sizeof(bool), bench.npeople);
	bench.value = allocate(sizeof(Code), bench.npeople);
	memcpy(bench.value, bench.people->sensitive, sizeof(Code) * bench.npeople);
	bench.last = allocate(sizeof(uint32), bench.npeople);
	memset(bench.last, 0xff, sizeof(uint32) * bench.npeople);
	bench.first_value = allocate(sizeof(uint64), published);
	bench.shown = allocate(sizeof(Code), published);
	bench.before = allocate(sizeof(uint32), published);
	bench.class = allocate(sizeof(uint32), published);
}

/* Some go, others come, and some values change. */
static void
live(int round)
{
	uint64		n = 0;
	uint64		next = (uint64) ((round - 1) * bench.rows * (1 - bench.stay)) % bench.npeople;

	for (uint64 i = 0; i < bench.npeople; i++)
	{
		if (bench.is_in[i])
			bench.is_in[i] = chance(i, round, 1) < bench.stay;
		n += bench.is_in[i];
	}
	for (uint64 tried = 0; n < bench.rows && tried < bench.npeople; tried++, next = (next + 1) % bench.npeople)
	{
		n += !bench.is_in[next];
		bench.is_in[next] = true;
	}
	for (uint64 i = 0; i < bench.npeople; i++)
		if (bench.is_in[i] && chance(i, round, 2) < bench.change)
			bench.value[i] = bench.people->sensitive[(uint64) (chance(i, round, 3) * bench.npeople)];
}

static void
make_frame(void)
{
	Frame	   *frame = &bench.frame;
	uint64		steps = 0;

	*frame = *bench.people;
	frame->nrows = 0;
	frame->is_protected = bench.is_protected;
	frame->sensitive = allocate(sizeof(Code), bench.rows);
	frame->code = palloc(sizeof(Code *) * frame->nqis);
	for (int q = 0; q < frame->nqis; q++)
		frame->code[q] = allocate(sizeof(Code), bench.rows);
	bench.person = allocate(sizeof(uint64), bench.rows);
	bench.paths = (Paths) {
		.nclasses = bench.nclasses,.first_value = bench.first_value,.value = bench.shown,
		.first = allocate(sizeof(uint64), bench.rows + 1),
		.class = allocate(sizeof(uint32), bench.nsteps),.shown = allocate(sizeof(Code), bench.nsteps),
	};
	for (uint64 i = 0; i < bench.npeople && frame->nrows < bench.rows; i++)
	{
		if (!bench.is_in[i])
			continue;
		for (int q = 0; q < frame->nqis; q++)
			frame->code[q][frame->nrows] = bench.people->code[q][i];
		frame->sensitive[frame->nrows] = bench.value[i];
		bench.person[frame->nrows] = i;
		for (uint32 step = bench.last[i]; step != NO_ROW; step = bench.before[step])
			bench.paths.class[steps++] = bench.class[step];
		bench.paths.first[++frame->nrows] = steps;
	}
	bench.past = (Past) {.paths = &bench.paths};
}

static void
note_classes(const Classes *classes, int round)
{
	for (uint32 c = 0; c < classes->nclasses; c++, bench.nclasses++)
	{
		uint64		at = bench.first_value[bench.nclasses];

		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		{
			uint64		person = bench.person[classes->rows[i]];

			bench.shown[at++] = bench.frame.sensitive[classes->rows[i]];
			bench.before[bench.nsteps] = bench.last[person];
			bench.class[bench.nsteps] = bench.nclasses;
			bench.last[person] = bench.nsteps++;
		}
		bench.first_value[bench.nclasses + 1] = at;
	}
}

static void
report(const Draft *draft, int round, double seconds, double judging)
{
	const Frame *frame = &bench.frame;
	const Classes *classes = draft->classes;
	uint64		grouped = 0;
	uint64		groups = 0;
	uint64		largest = 0;
	double		loss = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		bool		any = false;
		double		lost = 0;

		for (int q = 0; q < frame->nqis; q++)
			lost += domain_loss(&frame->domain[q], class_region(classes, c)[q]);
		loss += lost * class_size(classes, c);
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
			any |= is_protected(frame, frame->sensitive[classes->rows[i]]);
		if (!any)
			continue;
		grouped += class_size(classes, c);
		groups++;
		largest = Max(largest, class_size(classes, c));
	}
	printf("%5d %9llu %7.2f %8.2f %8llu %8.2f %7llu %9.5f %8.3f %8.3f\n", round, (unsigned long long) frame->nrows,
		   100.0 * draft->suppressed / frame->nrows, 100.0 * draft->exhausted / frame->nrows, (unsigned long long) groups,
		   groups == 0 ? 0 : (double) grouped / groups, (unsigned long long) largest,
		   loss / frame->nqis / Max(1, frame->nrows - draft->suppressed), seconds, judging);
	fflush(stdout);
}

static void
run_round(int round)
{
	double		start;
	double		drafted;
	Draft	   *draft;

	live(round);
	make_frame();
	start = cpu();
	draft = global_method.draft(&bench.frame, &bench.past, bench.params, round);
	drafted = cpu();
	judge_breaches(&bench.frame, &bench.paths, draft->classes, NULL, NULL, bench.params[0]);
	report(draft, round, drafted - start, cpu() - drafted);
	note_classes(draft->classes, round);
}

int
main(int argc, char **argv)
{
	MemoryContext kept;

	if (argc < 8)
		return 2;
	CurrentMemoryContext = kept = AllocSetContextCreateInternal(NULL, "bench", 0, 0, 0);
	bench.rows = strtoull(argv[1], NULL, 10);
	bench.rounds = atoi(argv[2]);
	bench.stay = atof(argv[3]) / 100;
	bench.change = atof(argv[4]) / 100;
	for (int i = 0; i < (int) lengthof(bench.params); i++)
		bench.params[i] = PARAM_ABSENT;
	bench.params[0] = atoi(argv[6]);
	bench.params[1] = argv[7][0] == 'a';
	if (argv[7][0] == 'a')
		bench.params[3] = (int64) (atof(argv[7] + 1) * PARAM_SCALE);
	else
		bench.params[2] = atoi(argv[7]);
	begin();
	protect(atof(argv[5]));
	printf("round      rows withhe%% exhaust%%  classes  average largest     LM     draft s  judge s\n");
	for (int round = 1; round <= bench.rounds; round++)
	{
		CurrentMemoryContext = AllocSetContextCreateInternal(kept, "round", 0, 0, 0);
		run_round(round);
		MemoryContextDelete(CurrentMemoryContext);
	}
	return 0;
}

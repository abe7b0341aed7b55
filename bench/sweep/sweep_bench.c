/*
 * sweep_bench.c
 *		Our method beside the paper's own sweep, in the paper's experiment.
 *
 * Usage:
 *		sweep_bench PEOPLE | full
 *
 * The experiment of Barbosa, Pinto and Gomes, section 7: r of the people are
 * replaced by others from release to release, until three times as many were
 * there; k = l = 10, four quasi-identifiers, 50 sensitive values.  full is
 * the paper's size, 200,000 people.
 *
 * classic is strict Mondrian as published, which cuts where the paper cut; the
 * others cut as we do.  With reserve, classes are cut larger than k asks for.
 *
 * The table says, for each rate and method, averages over all releases, and FEM
 * and VEM of some.  Rejected are classes, or our neighborhoods.  The seconds
 * are those of all releases: cutting, sweeping, and remembering what is known.
 * Exposed are people who are in the end in a set that observers can tell apart
 * and that is not allowed; there are some only where the listing is as printed.
 * Loss is that of a cell, in per cent, averaged over the cells of all releases.
 */
#include "shim.h"

#include "bench.h"
#include "sweep.h"

#include "audit/metrics.h"
#include "partition/mondrian.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define K			10
#define PRINCIPLES_AT 13			/* among the parameters of bpg; none is declared */
#define L			10
#define NPOINTS		5			/* releases of which FEM and VEM are printed */

static Classes *
classic_cut(const Frame *frame, RowId *rows, uint64 nrows, const Principle *principle, uint64 seed)
{
	return classic_mondrian(frame, rows, nrows, principle);
}

/* A way to publish: a sweep, or ours when there is no cutter. */
typedef struct Peer
{
	const char *name;
	SweepCutter cut;
	bool		by_signature;
	int			repair;			/* the sweep's, or ours */
	int			reserve;
	SweepOrder	order;
	uint32		left_out;		/* points of the safe reading */
} Peer;

/*
 * The listing as it is printed: of what the safe reading adds, nothing that
 * says more than the paper clearly means.
 */
#define AS_PRINTED	(POINT_SPLIT | POINT_NEWCOMERS | POINT_REST)

static const Peer peers[] = {
	{"sweep, dirty", mondrian, false, SWEEP_DIRTY, 1, ORDER_AS_CUT, 0},
	{"sweep, none", mondrian, false, SWEEP_NONE, 1, ORDER_AS_CUT, 0},
	{"sweep, classic", classic_cut, false, SWEEP_DIRTY, 1, ORDER_AS_CUT, 0},
	{"sweep, reserve 20", mondrian, false, SWEEP_DIRTY, 20, ORDER_AS_CUT, 0},
	{"by signature, dirty", mondrian, true, SWEEP_DIRTY, 1, ORDER_AS_CUT, 0},
	{"by signature, none", mondrian, true, SWEEP_NONE, 1, ORDER_AS_CUT, 0},
	{"by signature, classic", classic_cut, true, SWEEP_DIRTY, 1, ORDER_AS_CUT, 0},
	{"by signature, reserve 20", mondrian, true, SWEEP_DIRTY, 20, ORDER_AS_CUT, 0},
	{"as printed, classic", classic_cut, false, SWEEP_DIRTY, 1, ORDER_AS_CUT, AS_PRINTED},
	{"as printed, by signature", classic_cut, true, SWEEP_DIRTY, 1, ORDER_AS_CUT, AS_PRINTED},
	{"ours, reserve 1", NULL, false, 0, 1, ORDER_AS_CUT, 0},
	{"ours, reserve 10", NULL, false, 0, 10, ORDER_AS_CUT, 0},
	{"ours, reserve 20", NULL, false, 0, 20, ORDER_AS_CUT, 0},
	{"ours, counterfeit", NULL, false, 3, 1, ORDER_AS_CUT, 0},
	{"ours, counterfeit, reserve 20", NULL, false, 3, 20, ORDER_AS_CUT, 0},
};

static const Peer orders[] = {
	{"plain, as cut", mondrian, false, SWEEP_DIRTY, 20, ORDER_AS_CUT, 0},
	{"plain, largest first", mondrian, false, SWEEP_DIRTY, 20, ORDER_LARGEST_FIRST, 0},
	{"plain, smallest first", mondrian, false, SWEEP_DIRTY, 20, ORDER_SMALLEST_FIRST, 0},
	{"plain, random", mondrian, false, SWEEP_DIRTY, 20, ORDER_RANDOM, 0},
	{"signature, as cut", mondrian, true, SWEEP_DIRTY, 20, ORDER_AS_CUT, 0},
	{"signature, largest first", mondrian, true, SWEEP_DIRTY, 20, ORDER_LARGEST_FIRST, 0},
	{"signature, smallest first", mondrian, true, SWEEP_DIRTY, 20, ORDER_SMALLEST_FIRST, 0},
	{"signature, random", mondrian, true, SWEEP_DIRTY, 20, ORDER_RANDOM, 0},
	{"reserve 1, as cut", mondrian, true, SWEEP_DIRTY, 1, ORDER_AS_CUT, 0},
	{"reserve 1, largest first", mondrian, true, SWEEP_DIRTY, 1, ORDER_LARGEST_FIRST, 0},
	{"reserve 1, smallest first", mondrian, true, SWEEP_DIRTY, 1, ORDER_SMALLEST_FIRST, 0},
	{"reserve 1, random", mondrian, true, SWEEP_DIRTY, 1, ORDER_RANDOM, 0},
};

/* The people, of whom some are there. */
typedef struct Experiment
{
	const Frame *everybody;
	uint32		npeople;		/* at a time */
	uint32		rate;
	int			nreleases;
	int			points[NPOINTS];

	/* The release at hand */
	uint32	   *person;			/* [npeople] whose rows these are */
	uint32		come;			/* people so far */
	Frame		frame;
	uint64		random;

	/* The peer */
	const Peer *peer;
	Sweep	   *sweep;			/* or NULL, when it is ours */
	Known	   *known;			/* by who saw all releases, whatever the sweep thinks */
} Experiment;

/* Averages over the releases, but for the counts. */
typedef struct Outcome
{
	double		withheld;
	double		invented;
	double		rejected;
	uint64		dirty;			/* in all */
	uint64		exposed;		/* people in sets that observers know and that are
								 * not allowed, in the end */
	double		rows;			/* in all, invented ones too */
	double		classes;		/* in all */
	double		lm;				/* in all */
	double		cells;			/* in all, of true rows */
	double		seconds;		/* in all */
	double		fem[NPOINTS];
	double		vem[NPOINTS];
} Outcome;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static uint32
below(Experiment *experiment, uint32 n)
{
	experiment->random = experiment->random * UINT64CONST(6364136223846793005) +
		UINT64CONST(1442695040888963407);
	return (experiment->random >> 33) % n;
}

/* ----------------------------------------------------------------
 * People and their frames
 * ----------------------------------------------------------------
 */

static void
begin(Experiment *experiment)
{
	Frame	   *frame = &experiment->frame;

	*frame = *experiment->everybody;
	frame->nrows = experiment->npeople;
	frame->domain = palloc(sizeof(Domain) * frame->nqis);
	frame->code = palloc(sizeof(Code *) * frame->nqis);
	frame->sensitive = palloc(sizeof(Code) * frame->nrows);
	for (int q = 0; q < frame->nqis; q++)
	{
		frame->domain[q] = experiment->everybody->domain[q];
		frame->domain[q].frequency = palloc(sizeof(uint64) * frame->domain[q].size);
		frame->code[q] = palloc(sizeof(Code) * frame->nrows);
	}
	experiment->person = palloc(sizeof(uint32) * experiment->npeople);
	experiment->random = 2012;
	for (experiment->come = 0; experiment->come < experiment->npeople; experiment->come++)
		experiment->person[experiment->come] = experiment->come;
}

/* People come, as many as go. */
static void
replace_people(Experiment *experiment)
{
	for (uint32 i = 0; i < experiment->rate; i++)
	{
		uint32		with = i + below(experiment, experiment->npeople - i);

		experiment->person[with] = experiment->person[i];
		experiment->person[i] = experiment->come++;
	}
}

static void
fill_frame(Experiment *experiment)
{
	const Frame *everybody = experiment->everybody;
	Frame	   *frame = &experiment->frame;

	for (int q = 0; q < frame->nqis; q++)
	{
		memset(frame->domain[q].frequency, 0, sizeof(uint64) * frame->domain[q].size);
		for (uint64 row = 0; row < frame->nrows; row++)
		{
			frame->code[q][row] = everybody->code[q][experiment->person[row]];
			frame->domain[q].frequency[frame->code[q][row]]++;
		}
	}
	for (uint64 row = 0; row < frame->nrows; row++)
		frame->sensitive[row] = everybody->sensitive[experiment->person[row]];
}

/* ----------------------------------------------------------------
 * The past
 * ----------------------------------------------------------------
 */

/* Somebody in a class. */
typedef struct Shown
{
	uint32		of;				/* the neighborhood so far */
	uint32		person;
	Code		value;
} Shown;

static int
compare_shown(const void *a, const void *b)
{
	const Shown *first = a;
	const Shown *second = b;

	if (first->of != second->of)
		return first->of < second->of ? -1 : 1;
	return first->person < second->person ? -1 : first->person > second->person;
}

/* A class parts all neighborhoods that it has members of. */
static void
learn_shown(Known *known, Shown *shown, uint64 n, const Span *region)
{
	uint32	   *people = palloc(sizeof(uint32) * (n + 1));
	Code	   *values = palloc(sizeof(Code) * (n + 1));
	uint64		end;

	qsort(shown, n, sizeof(Shown), compare_shown);
	for (uint64 i = 0; i < n; i++)
	{
		people[i] = shown[i].person;
		values[i] = shown[i].value;
	}
	for (uint64 from = 0; from < n; from = end)
	{
		for (end = from; end < n && shown[end].of == shown[from].of; end++)
			;
		known_publish(known, people + from, values + from, end - from, region);
	}
	pfree(people);
	pfree(values);
}

/* Chooses for an invented row somebody of the class's neighborhood, or nobody who was there before. */
static uint32
invented_person(Known *known, const Past *past, uint32 n, uint64 stands_for)
{
	return stands_for == NO_MEMBER ? known_add_person(known) :
		known->neighborhoods[n].member[stands_for - past->first[n]];
}

static void
learn_class(Experiment *experiment, const Past *past, const Draft *draft, uint32 c)
{
	Known	   *known = experiment->known;
	const Classes *classes = draft->classes;
	uint64		n = 0;
	Shown	   *shown = palloc(sizeof(Shown) * (class_size(classes, c) + class_counterfeits(classes, c)));

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		uint32		person = experiment->person[classes->rows[i]];

		shown[n++] = (Shown) {known->neighborhood[person], person,
			experiment->frame.sensitive[classes->rows[i]]};
	}
	for (uint64 j = 0; j < class_counterfeits(classes, c); j++)
	{
		uint64		i = classes->first_counterfeit[c] + j;
		uint32		person = invented_person(known, past, draft->parent[c], draft->stands_for[i]);

		shown[n++] = (Shown) {known->neighborhood[person], person, classes->counterfeit[i]};
	}
	learn_shown(known, shown, n, class_region(classes, c));
	pfree(shown);
}

static void
learn(Experiment *experiment, const Past *past, const Draft *draft)
{
	for (uint32 c = 0; c < draft->classes->nclasses; c++)
		learn_class(experiment, past, draft, c);
	experiment->known->releases++;
}

static bool
is_allowed(const Neighborhood *neighborhood, const Frame *frame, Tally *tally)
{
	for (uint32 epoch = 0; epoch < neighborhood->nepochs; epoch++)
	{
		tally_clear(tally);
		for (uint64 i = 0; i < neighborhood->size; i++)
			tally_add(tally, neighborhood->values[epoch * neighborhood->size + i]);
		if (tally->rows < K || tally->values < L)
			return false;
	}
	return true;
}

static uint64
count_exposed(const Experiment *experiment)
{
	const Known *known = experiment->known;
	Tally	   *tally = tally_create(experiment->everybody->nsensitive);
	uint64		exposed = 0;

	for (uint32 n = 0; n < known->nneighborhoods; n++)
		if (!is_allowed(&known->neighborhoods[n], experiment->everybody, tally))
			exposed += known->neighborhoods[n].size;
	return exposed;
}

/* ----------------------------------------------------------------
 * A release
 * ----------------------------------------------------------------
 */

static RowId *
number_rows(const Experiment *experiment)
{
	RowId	   *row = palloc_extended(sizeof(RowId) * experiment->known->npeople, MCXT_ALLOC_HUGE);

	for (uint32 p = 0; p < experiment->known->npeople; p++)
		row[p] = NO_ROW;
	for (uint64 r = 0; r < experiment->frame.nrows; r++)
		row[experiment->person[r]] = r;
	return row;
}

/* The work context takes what is needed for this release only, the current one what is known. */
static Draft *
draft_ours(Experiment *experiment, MemoryContext work, uint64 seed)
{
	int64		params[PRINCIPLES_AT + NPRINCIPLE_PARAMS] = {K, L, experiment->peer->repair, experiment->peer->reserve, 0, PARAM_ABSENT, PARAM_ABSENT, 1};
	MemoryContext lasting;
	Past	   *past;
	Draft	   *draft;

	for (int i = 0; i < NPRINCIPLE_PARAMS; i++)
		params[PRINCIPLES_AT + i] = PARAM_ABSENT;
	lasting = MemoryContextSwitchTo(work);
	past = known_past(experiment->known, number_rows(experiment), experiment->frame.nrows);
	draft = bpg_method.draft(&experiment->frame, past, params, seed);
	MemoryContextSwitchTo(lasting);
	learn(experiment, past, draft);
	return draft;
}

/* ----------------------------------------------------------------
 * A run
 * ----------------------------------------------------------------
 */

static void
add_figures(const Experiment *experiment, const Draft *draft, int release, Outcome *outcome)
{
	const Classes *classes = draft->classes;
	uint64	   *invented = palloc(sizeof(uint64) * (classes->nclasses + 1));
	ReleaseCounts counts = {.suppressed = draft->suppressed,.dirty = draft->dirty,.counterfeits = invented};
	Metrics		metrics;
	double		all;

	for (uint32 c = 0; c < classes->nclasses; c++)
		invented[c] = class_counterfeits(classes, c);
	metrics = measure_release(&experiment->frame, classes, &counts, 1);
	all = metrics.rows + metrics.counterfeits;
	outcome->withheld += 100 * suppressed_share(&metrics) / experiment->nreleases;
	outcome->invented += all == 0 ? 0 : 100 * metrics.counterfeits / all / experiment->nreleases;
	outcome->rejected += (double) draft->rejected / experiment->nreleases;
	outcome->rows += all;
	outcome->classes += metrics.classes;
	outcome->lm += metrics.lm;
	outcome->cells += (double) metrics.rows * metrics.columns;
	outcome->dirty += draft->dirty;
	for (int i = 0; i < NPOINTS; i++)
		if (experiment->points[i] == release)
		{
			outcome->fem[i] = metrics.fem_counterfeit;
			outcome->vem[i] = metrics.vem_counterfeit;
		}
}

static void
publish_release(Experiment *experiment, int release, Outcome *outcome)
{
	MemoryContext lasting = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(lasting, "release", ALLOCSET_DEFAULT_SIZES);
	double		start;
	Draft	   *draft;

	fill_frame(experiment);
	start = now();
	draft = experiment->sweep == NULL ? draft_ours(experiment, work, release) :
		sweep_draft(experiment->sweep, &experiment->frame, experiment->person, release);
	outcome->seconds += now() - start;
	if (experiment->sweep != NULL)
		learn(experiment, NULL, draft);
	MemoryContextSwitchTo(work);
	add_figures(experiment, draft, release, outcome);
	MemoryContextSwitchTo(lasting);
	MemoryContextDelete(work);
}

static void
choose_peer(Experiment *experiment, const Peer *peer)
{
	SweepOptions options = {.k = K,.l = L,.repair = peer->repair,.order = peer->order,
	.by_signature = peer->by_signature,.reserve = peer->reserve,.left_out = peer->left_out,.cut = peer->cut};
	uint32		people = experiment->everybody->nrows;
	int			nqis = experiment->everybody->nqis;

	experiment->peer = peer;
	experiment->sweep = peer->cut == NULL ? NULL : sweep_create(people, nqis, &options);
	experiment->known = known_create(people, nqis);
}

static Outcome
run(Experiment *experiment, const Peer *peer)
{
	MemoryContext outer = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(outer, "run", ALLOCSET_DEFAULT_SIZES);
	Outcome		outcome = {0};

	MemoryContextSwitchTo(context);
	begin(experiment);
	choose_peer(experiment, peer);
	for (int release = 1; release <= experiment->nreleases; release++)
	{
		publish_release(experiment, release, &outcome);
		if (release < experiment->nreleases)
			replace_people(experiment);
	}
	outcome.exposed = count_exposed(experiment);
	if (outcome.exposed > 0 && peer->left_out == 0)
		abort();
	MemoryContextSwitchTo(outer);
	MemoryContextDelete(context);
	return outcome;
}

static void
set_rate(Experiment *experiment, uint32 rate)
{
	int			n = 2 * experiment->npeople / rate + 1;
	const int	points[NPOINTS] = {1, 2, 5, n / 2, n};

	experiment->rate = rate;
	experiment->nreleases = n;
	memcpy(experiment->points, points, sizeof(points));
}

static void
print_head(const char *what)
{
	printf("%6s  %-29s %8s %8s %8s %7s %8s %8s %7s %6s", "r", what, "releases", "withheld", "rejected",
		   "dirty", "exposed", "invented", "loss", "size");
	printf("  %-31s  %-31s %8s\n", "FEM 1st, 2nd, 5th, middle, last", " VEM", "seconds");
}

static void
print_points(const double *figures)
{
	printf("  ");
	for (int i = 0; i < NPOINTS; i++)
		printf(" %5.2f", figures[i]);
}

static void
print_outcome(const Experiment *experiment, const Outcome *outcome)
{
	printf("%6u  %-29s %8d %7.1f%% %8.1f %7llu %8llu", experiment->rate, experiment->peer->name,
		   experiment->nreleases, outcome->withheld, outcome->rejected,
		   (unsigned long long) outcome->dirty, (unsigned long long) outcome->exposed);
	printf(" %7.1f%% %6.1f%% %6.1f", outcome->invented, 100 * outcome->lm / Max(1, outcome->cells),
		   outcome->rows / Max(1, outcome->classes));
	print_points(outcome->fem);
	print_points(outcome->vem);
	printf("   %8.2f\n", outcome->seconds);
	fflush(stdout);
}

static void
compare(Experiment *experiment, const Peer *peer, int npeers)
{
	for (int i = 0; i < npeers; i++)
	{
		Outcome		outcome = run(experiment, &peer[i]);

		print_outcome(experiment, &outcome);
	}
}

int
main(int argc, char **argv)
{
	Experiment	experiment = {0};
	uint32		n;

	if (argc != 2)
	{
		fprintf(stderr, "usage: sweep_bench PEOPLE | full\n");
		return 2;
	}
	n = strcmp(argv[1], "full") == 0 ? 200000 : Max(400, strtoul(argv[1], NULL, 10));
	CurrentMemoryContext = AllocSetContextCreateInternal(NULL, "bench", 0, 0, 0);
	experiment.everybody = synthetic_census(3 * (uint64) n);
	experiment.npeople = n;
	printf("%u people at a time, k = %d, l = %d\n", n, K, L);
	print_head("method");
	for (uint32 part = 5; part <= 40; part *= 2)
	{
		set_rate(&experiment, n / part);
		compare(&experiment, peers, lengthof(peers));
	}
	set_rate(&experiment, n / 5);
	printf("\n");
	print_head("the sweep's order");
	compare(&experiment, orders, lengthof(orders));
	return 0;
}

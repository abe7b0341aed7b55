/*
 * test_judge.c
 *		Does the last check notice each thing that can be wrong with a draft?
 *
 * One sound draft, small enough to see through; each test spoils one thing.
 *
 *		row   age (line)   place (tree)   disease
 *		 0    20  code 0   fr    code 0      0
 *		 1    30  code 1   de    code 1      1
 *		 2    50  code 2   jp    code 2      2
 *		 3    60  code 3   NULL  code 3      0
 *		 4    NULL code 4  fr    code 0      NULL
 *		 5    60  code 3   jp    code 2      1
 *
 * Classes: {0, 1} over [20, 30] x europe, {2, 3, 5} over [50, 60] x the whole
 * tree; row 4 is suppressed.
 */
#include "shim.h"

#include "audit/judge_draft.h"

#define NROWS	6

typedef struct Draft
{
	Frame		frame;
	Classes		classes;
	Principle	principle;
	Domain		domain[2];
	Tree		place;
	TreeNode	nodes[7];
	uint32		leaf[4];
	double		position[4];
	Code		age_code[NROWS];
	Code		place_code[NROWS];
	Code	   *codes[2];
	Code		sensitive[NROWS];
	uint64		first[3];
	RowId		rows[5];
	Span		regions[4];
} Draft;

static Draft draft;

static const Draft sound = {
	.domain = {{.size = 5,.null_code = 4}, {.size = 4,.null_code = 3}},
	.nodes = {
		{.leaves = {0, 3},.parent = 0,.first_child = 1,.nchildren = 3,.level = 0},	/* world */
		{.leaves = {0, 1},.parent = 0,.first_child = 4,.nchildren = 2,.level = 1},	/* europe */
		{.leaves = {2, 2},.parent = 0,.first_child = 6,.nchildren = 1,.level = 1},	/* asia */
		{.leaves = {3, 3},.parent = 0,.level = 1},	/* NULL */
		{.leaves = {0, 0},.parent = 1,.level = 2},	/* fr */
		{.leaves = {1, 1},.parent = 1,.level = 2},	/* de */
		{.leaves = {2, 2},.parent = 2,.level = 2},	/* jp */
	},
	.leaf = {4, 5, 6, 3},
	.position = {20, 30, 50, 60},
	.age_code = {0, 1, 2, 3, 4, 3},
	.place_code = {0, 1, 2, 3, 0, 2},
	.sensitive = {0, 1, 2, 0, NO_CODE, 1},
	.first = {0, 2, 5},
	.rows = {0, 1, 2, 3, 5},
	.regions = {{0, 1}, {0, 1}, {2, 3}, {0, 3}},
	.principle = {.k = 2,.l = 2},
};

static void
draft_reset(void)
{
	draft = sound;
	draft.place = (Tree) {.nnodes = 7, .nodes = draft.nodes, .leaf = draft.leaf};
	draft.domain[0].position = draft.position;
	draft.domain[1].tree = &draft.place;
	draft.codes[0] = draft.age_code;
	draft.codes[1] = draft.place_code;
	draft.frame = (Frame) {
		.nrows = NROWS, .nqis = 2, .domain = draft.domain, .code = draft.codes,
		.nsensitive = 3, .sensitive = draft.sensitive
	};
	draft.classes = (Classes) {
		.nclasses = 2, .nqis = 2, .first = draft.first, .rows = draft.rows,
		.regions = draft.regions
	};
}

static void
judge_draft(void)
{
	judge_classes(&draft.frame, &draft.classes, &draft.principle);
}

#define check_refused(c, fault) \
	check_refused_at(c, fault, __FILE__, __LINE__)

static void
check_refused_at(int c, const char *fault, const char *file, int line)
{
	char		expected[256];
	const char *message = error_of(judge_draft);

	snprintf(expected, sizeof(expected), "class %d of the draft failed its last check: %s", c, fault);
	check_at(message != NULL && strcmp(message, expected) == 0,
			 message != NULL ? message : "no error", file, line);
	draft_reset();
}

static void
test_sound_drafts_pass(void)
{
	uint64		before = shim_allocated;

	draft_reset();
	check(error_of(judge_draft) == NULL);
	check(shim_allocated == before);

	/* No class at all: everything was suppressed. */
	draft.classes.nclasses = 0;
	check(error_of(judge_draft) == NULL);
	draft_reset();

	/* A line's cell with NULL is the whole domain. */
	draft.regions[2] = (Span) {0, 4};
	check(error_of(judge_draft) == NULL);
	draft_reset();

	/* An empty frame, whose domains have no code. */
	draft.classes.nclasses = 0;
	draft.frame.nrows = 0;
	draft.frame.nsensitive = 0;
	draft.domain[0].size = draft.domain[1].size = 0;
	check(error_of(judge_draft) == NULL);
	draft_reset();

	/* An only child's cell is its parent's too: jp, or asia. */
	draft.principle.k = draft.principle.l = 1;
	draft.rows[0] = 2;
	draft.first[1] = 1;
	draft.first[2] = 1;
	draft.classes.nclasses = 1;
	draft.regions[0] = span_of(2);
	draft.regions[1] = span_of(2);
	check(error_of(judge_draft) == NULL);
}

static void
test_principle(void)
{
	draft_reset();
	draft.principle.k = 3;
	check_refused(0, "the principle does not allow it");
	draft.principle.l = 3;
	check_refused(0, "the principle does not allow it");

	/* The first class passes, and does not lend its values to the second. */
	draft.sensitive[2] = draft.sensitive[3] = draft.sensitive[5] = 2;
	check_refused(1, "the principle does not allow it");

	/* A NULL is no value, but a row. */
	draft.sensitive[1] = NO_CODE;
	check_refused(0, "the principle does not allow it");
	draft.sensitive[1] = NO_CODE;
	draft.principle.l = 1;
	check(error_of(judge_draft) == NULL);
	draft_reset();

	/* A class without members. */
	draft.first[1] = 0;
	check_refused(0, "the principle does not allow it");
}

/* A condition on shares sees how often each value occurs, in the class at hand alone. */
static void
test_tally_is_whole(void)
{
	int64		params[NPRINCIPLE_PARAMS];

	for (int i = 0; i < NPRINCIPLE_PARAMS; i++)
		params[i] = PARAM_ABSENT;
	params[PRINCIPLE_frequency] = 2 * PARAM_SCALE;
	draft_reset();
	draft.principle = principle_declared(2, 1, params);
	check(error_of(judge_draft) == NULL);
	draft.sensitive[2] = draft.sensitive[3] = draft.sensitive[5] = 2;
	check_refused(1, "the principle does not allow it");
}

static void
test_rows(void)
{
	draft_reset();
	draft.rows[3] = NROWS;
	check_refused(1, "a member is not a row of the frame");
	draft.rows[1] = PG_UINT32_MAX;
	check_refused(0, "a member is not a row of the frame");
	draft.rows[1] = 0;
	check_refused(0, "a member is in it twice, or in two classes");
	draft.rows[4] = 0;
	check_refused(1, "a member is in it twice, or in two classes");
}

static void
test_shape(void)
{
	draft_reset();
	draft.classes.nqis = 1;
	check_refused(0, "it has a region over other quasi-identifiers");
	draft.first[0] = 1;
	check_refused(0, "its members do not begin where the rows do");
	draft.first[2] = 1;
	check_refused(1, "its members end before they begin");
	draft.first[1] = PG_UINT64_MAX;
	check_refused(0, "it has more members than there are rows");
	draft.first[2] = NROWS + 1;
	check_refused(1, "it has more members than there are rows");
}

static void
test_containment(void)
{
	/* One too low, one too high, in either column, in either class. */
	draft_reset();
	draft.regions[0] = span_of(1);
	check_refused(0, "a member lies outside its region");
	draft.regions[1] = span_of(0);
	check_refused(0, "a member lies outside its region");
	draft.regions[2] = span_of(2);
	check_refused(1, "a member lies outside its region");
	draft.regions[3] = (Span) {0, 1};
	check_refused(1, "a member lies outside its region");

	/* A row that belongs to nobody changes places with one that does. */
	draft.rows[4] = 4;
	check_refused(1, "a member lies outside its region");
}

static void
test_regions(void)
{
	draft_reset();
	draft.regions[0] = (Span) {1, 0};
	check_refused(0, "its region leaves the domain");
	draft.regions[2] = (Span) {2, 5};
	check_refused(1, "its region leaves the domain");
	draft.regions[3] = (Span) {0, NO_CODE};
	check_refused(1, "its region leaves the domain");

	/* de and jp together are no node. */
	draft.regions[3] = (Span) {1, 2};
	check_refused(1, "its region cannot be printed");

	/* 50, 60 and NULL are no range. */
	draft.regions[2] = (Span) {2, 4};
	check_refused(1, "its region cannot be printed");

	/* europe and asia without NULL, which is a child of the root, are no node either. */
	draft.regions[3] = (Span) {0, 2};
	check_refused(1, "its region cannot be printed");
}

static void
test_sensitive_codes(void)
{
	draft_reset();
	draft.sensitive[5] = 3;
	check_refused(1, "a member has an unknown sensitive value");

	/* Nobody reads the value of a suppressed row. */
	draft.sensitive[4] = 77;
	check(error_of(judge_draft) == NULL);
}

/* An invented row counts like a true one, in its own class only. */
static void
test_counterfeits(void)
{
	uint64		first[] = {0, 1, 1};
	Code		counterfeit[] = {2};

	draft_reset();
	draft.principle.k = 3;
	check_refused(0, "the principle does not allow it");
	draft.principle.k = 3;
	draft.principle.l = 3;
	draft.classes.first_counterfeit = first;
	draft.classes.counterfeit = counterfeit;
	check(error_of(judge_draft) == NULL);

	counterfeit[0] = 0;			/* nothing new */
	check_refused(0, "the principle does not allow it");
	draft.principle.k = 3;
	draft.principle.l = 2;
	draft.classes.first_counterfeit = first;
	draft.classes.counterfeit = counterfeit;
	first[1] = 0;				/* in the other class */
	check_refused(0, "the principle does not allow it");
	draft.classes.first_counterfeit = first;
	draft.classes.counterfeit = counterfeit;
	first[1] = 1;
	counterfeit[0] = 3;
	check_refused(0, "a member has an unknown sensitive value");
}

static const Test tests[] = {
	{"sound drafts pass", test_sound_drafts_pass},
	{"classes that the principle does not allow", test_principle},
	{"the principle is shown all counts", test_tally_is_whole},
	{"rows out of range, or twice", test_rows},
	{"members that cannot be walked through", test_shape},
	{"members outside their region", test_containment},
	{"regions that are no cells", test_regions},
	{"sensitive codes out of range", test_sensitive_codes},
	{"invented rows", test_counterfeits},
};

RUN(tests)

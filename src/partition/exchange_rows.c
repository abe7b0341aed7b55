/*
 * exchange_rows.c
 *		Moving rows to groups where they lose less.
 *
 * Blocks are gathered one by one, so what fits nowhere in its own block may
 * fit well in another.  One pass over the groups: from a group that is larger
 * than it must be, pieces move to the group where that saves most; a group all
 * of whose pieces are better off elsewhere is dissolved.
 *
 * NOTES
 *		Groups stand in the order of the cuts, so that near ones are alike.  A
 *		piece looks at so many groups on either side: time stays linear.  Groups
 *		that lose less than the average have little to save, and only receive.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "partition/groups.h"

#define WINDOW		64
#define SMALL_WINDOW 16

/* Groups of more pieces are left as they are: each piece is weighed against the rest. */
#define MAX_PIECES	64

/* Savings below this are rounding. */
#define LEAST_SAVING 1e-6

/* Where rows of one piece would go, and what that costs or saves. */
typedef struct Move
{
	uint32		piece;
	uint32		rows;
	uint32		target;
	double		value;
} Move;

/* Counts the rows that a move takes from its piece, the last ones. */
static void
add_leaving(Work *work, const Move *move)
{
	const Piece *piece = &work->pieces[move->piece];

	count_rows(work, piece->end - move->rows, piece->end);
}

/* The loss that rows of a tuple add to a target; no less than the limit once it cannot be below. */
static double
cost_of_coming(const Work *work, uint32 target, const Code *tuple, uint32 coming, double limit)
{
	const Group *group = &work->groups[target];
	double		rows = group->rows + (double) coming;
	double		before = group->loss * group->rows;

	return rows * widened_loss(work->records, group_hull(work, target), tuple,
							   (limit + before) / rows) - before;
}

/* Is a target allowed with rows that move there, and with those that are going there already? */
static bool
target_allowed(Work *work, uint32 target, const Move *going, uint32 n, const Move *move)
{
	if (work->monotonous)
		return true;
	add_group(work, work->tally, &work->groups[target]);
	for (uint32 i = 0; i < n; i++)
		if (going[i].target == target)
			add_leaving(work, &going[i]);
	add_leaving(work, move);
	return allowed_at_once(work);
}

/*
 * Finds the cheapest target for a piece; false if none costs less than the limit, or is
 * allowed with it.  So many moves are decided already.
 */
static bool
find_target(Work *work, uint32 group, Move *move, double limit, const Move *going, uint32 ngoing)
{
	const Code *tuple = record_tuple(work->records, work->pieces[move->piece].record);
	uint32		window = work->many_records ? SMALL_WINDOW : WINDOW;
	uint32		from = group > window ? group - window : 0;
	uint32		to = Min(work->ngroups, group + window + 1);
	bool		found = false;

	for (uint32 target = from; target < to; target++)
	{
		double		cost;

		if (target == group || work->groups[target].rows == 0)
			continue;
		cost = cost_of_coming(work, target, tuple, move->rows, limit);
		if (cost < limit && target_allowed(work, target, going, ngoing, move))
		{
			limit = move->value = cost;
			move->target = target;
			found = true;
		}
	}
	return found;
}

/* The loss that is saved in a group when rows of one piece leave, their own included. */
static double
saving_of_leaving(Work *work, uint32 group, uint32 piece, uint32 leaving)
{
	const Group *from = &work->groups[group];

	hull_clear(work->records, work->hull);
	for (uint32 p = from->head; p != NO_PIECE; p = work->pieces[p].next)
		if (piece_rows(&work->pieces[p]) > (p == piece ? leaving : 0))
			hull_add_tuple(work->records, work->hull,
						   record_tuple(work->records, work->pieces[p].record));
	return from->loss * from->rows -
		(from->rows - leaving) * hull_loss(work->records, work->hull);
}

/* Moves the last rows of a piece to the target. */
static void
move_rows(Work *work, uint32 group, const Move *move)
{
	Piece	   *piece = &work->pieces[move->piece];
	uint32		moved;

	piece->end -= move->rows;
	moved = piece_create(work, piece->record, piece->end, piece->end + move->rows,
						 work->groups[move->target].head);
	work->groups[move->target].head = moved;
	group_measure(work, &work->groups[group], group_hull(work, group));
	group_measure(work, &work->groups[move->target], group_hull(work, move->target));
}

/* Moves what a group can spare to where most is saved; false if there is nothing. */
static bool
spare_rows(Work *work, uint32 group)
{
	const Group *from = &work->groups[group];
	uint64		spare = from->rows - Max(1, work->principle->k);
	Move		best = {.piece = NO_PIECE, .value = LEAST_SAVING};

	for (uint32 p = from->head; p != NO_PIECE; p = work->pieces[p].next)
	{
		Move		move = {.piece = p, .rows = Min(piece_rows(&work->pieces[p]), spare)};
		double		saving;

		if (move.rows == 0)
			continue;
		saving = saving_of_leaving(work, group, p, move.rows);
		if (saving <= best.value || !group_allowed(work, from, p, move.rows) ||
			!find_target(work, group, &move, saving - best.value, NULL, 0))
			continue;
		move.value = saving - move.value;
		best = move;
	}
	if (best.piece == NO_PIECE)
		return false;
	move_rows(work, group, &best);
	return true;
}

/* Dissolves a group if all its rows together lose less elsewhere. */
static void
dissolve(Work *work, uint32 group)
{
	const Group *from = &work->groups[group];
	Move		moves[MAX_PIECES];
	uint32		n = 0;
	double		left = from->loss * from->rows - LEAST_SAVING;

	for (uint32 p = from->head; p != NO_PIECE; p = work->pieces[p].next)
	{
		Move	   *move = &moves[n];

		if (piece_rows(&work->pieces[p]) == 0)
			continue;
		*move = (Move) {.piece = p, .rows = piece_rows(&work->pieces[p])};
		if (!find_target(work, group, move, left, moves, n))
			return;
		/* Two pieces that go to one group may cost more, or less, than each alone. */
		left -= move->value;
		n++;
	}
	for (uint32 i = 0; i < n; i++)
		move_rows(work, group, &moves[i]);
}

static uint32
count_pieces(const Work *work, const Group *group)
{
	uint32		n = 0;

	for (uint32 p = group->head; p != NO_PIECE && n <= MAX_PIECES; p = work->pieces[p].next)
		n++;
	return n;
}

/* The loss of an average row. */
static double
mean_loss(const Work *work)
{
	double		loss = 0;
	double		rows = 0;

	for (uint32 group = 0; group < work->ngroups; group++)
	{
		loss += work->groups[group].loss * work->groups[group].rows;
		rows += work->groups[group].rows;
	}
	return loss / Max(rows, 1);
}

void
exchange_rows(Work *work)
{
	double		mean = mean_loss(work);

	for (uint32 g = 0; g < work->ngroups; g++)
	{
		Group	   *group = &work->groups[g];

		CHECK_FOR_INTERRUPTS();
		if (group->loss <= mean || count_pieces(work, group) > MAX_PIECES)
			continue;
		while (group->rows > work->principle->k && group->loss > mean && spare_rows(work, g))
			;
		if (group->loss > mean)
			dissolve(work, g);
	}
}

/*
 * invented.c
 *		Draws and trees for tables that no file holds.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>

#include "invented.h"

static uint64 random_state;

void
draw_from(uint64 seed)
{
	random_state = seed;
}

/* splitmix64 */
double
draw(void)
{
	uint64		z = (random_state += UINT64CONST(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64CONST(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64CONST(0x94D049BB133111EB);
	return ((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

Code
draw_skewed(Code n, double skew)
{
	return (Code) (n * pow(draw(), skew));
}

void
make_regular_tree(Domain *domain, Code nleaves, int levels, const Code *width)
{
	char	 ***path = palloc(sizeof(char **) * levels);

	for (int level = 0; level < levels; level++)
	{
		path[level] = palloc(sizeof(char *) * nleaves);
		for (Code leaf = 0; leaf < nleaves; leaf++)
		{
			path[level][leaf] = palloc(16);
			snprintf(path[level][leaf], 16, "%u",
					 level == levels - 1 ? 0 : leaf / width[level]);
		}
	}
	make_tree(domain, nleaves, levels, path);
}

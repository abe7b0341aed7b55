/*
 * input.c
 *		Frames for the bench from CSV files and taxonomy levels files.
 *
 * Only what the bench needs: no quoting, a header line, empty fields are NULL.
 * A levels file has lines leaf,parent,...,root of equal length.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FIELDS 64

/* Distinct texts, numbered as they come. */
typedef struct Names
{
	uint32		n;
	uint32		allocated;
	char	  **text;
	uint32		nslots;			/* a power of two */
	uint32	   *slot;			/* number + 1, or 0 */
} Names;

static void *
grow(void *array, uint64 bytes)
{
	void	   *result = realloc(array, bytes);

	if (result == NULL)
		abort();
	return result;
}

static void
fail(const char *what, const char *which)
{
	fprintf(stderr, "mondrian_bench: %s: %s\n", what, which);
	exit(1);
}

static uint32
hash_text(const char *text)
{
	uint32		hash = 2166136261u;

	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char) *text) * 16777619u;
	return hash;
}

static void
names_rehash(Names *names, uint32 nslots)
{
	free(names->slot);
	names->nslots = nslots;
	names->slot = calloc(nslots, sizeof(uint32));
	for (uint32 i = 0; i < names->n; i++)
	{
		uint32		at = hash_text(names->text[i]) & (nslots - 1);

		while (names->slot[at] != 0)
			at = (at + 1) & (nslots - 1);
		names->slot[at] = i + 1;
	}
}

/* The number of a text; NO_CODE when it is new and may not be added. */
static uint32
names_number(Names *names, const char *text, bool add)
{
	uint32		at;

	if (names->n * 2 >= names->nslots)
		names_rehash(names, Max(64, names->nslots * 2));
	at = hash_text(text) & (names->nslots - 1);
	while (names->slot[at] != 0)
	{
		if (strcmp(names->text[names->slot[at] - 1], text) == 0)
			return names->slot[at] - 1;
		at = (at + 1) & (names->nslots - 1);
	}
	if (!add)
		return NO_CODE;
	if (names->n == names->allocated)
	{
		names->allocated = Max(64, names->allocated * 2);
		names->text = grow(names->text, sizeof(char *) * names->allocated);
	}
	names->text[names->n] = strdup(text);
	names->slot[at] = names->n + 1;
	return names->n++;
}

/* Cuts a line at its commas, in place; returns the number of fields. */
static int
split_line(char *line, char **field)
{
	int			n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	for (char *p = line; p != NULL && n < MAX_FIELDS;)
	{
		char	   *comma = strchr(p, ',');

		field[n++] = p;
		if (comma != NULL)
			*comma++ = '\0';
		p = comma;
	}
	return n;
}

/* Orders leaves by their paths, read from the root, keeping the file's order. */
static int	path_levels;
static uint32 *path_key;

static int
compare_paths(const void *a, const void *b)
{
	const uint32 *ka = &path_key[*(const uint32 *) a * path_levels];
	const uint32 *kb = &path_key[*(const uint32 *) b * path_levels];

	for (int level = path_levels - 1; level >= 0; level--)
		if (ka[level] != kb[level])
			return ka[level] < kb[level] ? -1 : 1;
	return 0;
}

/* Reads a levels file into a tree; *leaves gets the leaves' names by code. */
static void
read_taxonomy(const char *path, Domain *domain, Names *leaves)
{
	FILE	   *file = fopen(path, "r");
	char		line[4096];
	char	   *field[MAX_FIELDS];
	Names		nodes = {0};
	Code		n = 0;
	uint32	   *order;
	char	 ***sorted;

	if (file == NULL)
		fail("cannot open", path);
	path_levels = 0;
	path_key = NULL;
	while (fgets(line, sizeof(line), file) != NULL)
	{
		int			nfields = split_line(line, field);

		if (path_levels != 0 && nfields != path_levels)
			fail("lines of different lengths", path);
		path_levels = nfields;
		path_key = grow(path_key, sizeof(uint32) * (n + 1) * path_levels);
		for (int level = 0; level < path_levels; level++)
			path_key[n * path_levels + level] = names_number(&nodes, field[level], true);
		n++;
	}
	fclose(file);
	order = grow(NULL, sizeof(uint32) * n);
	for (Code i = 0; i < n; i++)
		order[i] = i;
	qsort(order, n, sizeof(uint32), compare_paths);
	sorted = grow(NULL, sizeof(char **) * path_levels);
	for (int level = 0; level < path_levels; level++)
	{
		sorted[level] = grow(NULL, sizeof(char *) * n);
		for (Code i = 0; i < n; i++)
			sorted[level][i] = nodes.text[path_key[order[i] * path_levels + level]];
	}
	for (Code i = 0; i < n; i++)
		(void) names_number(leaves, sorted[0][i], true);
	make_tree(domain, n, path_levels, sorted);
}

void
make_line(Domain *domain, Code size, const double *position)
{
	domain->size = size;
	domain->null_code = NO_CODE;
	domain->frequency = NULL;
	domain->tree = NULL;
	domain->position = position;
}

void
make_tree(Domain *domain, Code nleaves, int levels, char ***path)
{
	Tree	   *tree = palloc0(sizeof(Tree));
	uint32		above = 0;

	tree->nodes = palloc0(sizeof(TreeNode) * nleaves * levels);
	tree->leaf = palloc0(sizeof(uint32) * nleaves);
	tree->nodes[0].leaves = (Span) {0, nleaves - 1};
	tree->nnodes = 1;
	for (int level = levels - 2; level >= 0; level--)
	{
		uint32		parent = above;
		uint32		start = tree->nnodes;

		for (Code leaf = 0; leaf < nleaves; leaf++)
		{
			TreeNode   *node = &tree->nodes[tree->nnodes];

			if (tree->nodes[parent].leaves.hi < leaf)
				parent++;
			if (leaf > tree->nodes[parent].leaves.lo &&
				strcmp(path[level][leaf], path[level][leaf - 1]) == 0)
			{
				node[-1].leaves.hi = leaf;
				continue;
			}
			node->leaves = span_of(leaf);
			node->parent = parent;
			node->level = levels - 1 - level;
			if (tree->nodes[parent].nchildren++ == 0)
				tree->nodes[parent].first_child = tree->nnodes;
			tree->nnodes++;
		}
		above = start;
	}
	for (uint32 i = 0; i < tree->nnodes; i++)
		if (tree->nodes[i].nchildren == 0)
			tree->leaf[tree->nodes[i].leaves.lo] = i;
	domain->size = nleaves;
	domain->null_code = NO_CODE;
	domain->frequency = NULL;
	domain->tree = tree;
	domain->position = NULL;
}

/* Distinct values of a column, as texts, until their order is known. */
static double *sort_position;

static int
compare_positions(const void *a, const void *b)
{
	double		pa = sort_position[*(const uint32 *) a];
	double		pb = sort_position[*(const uint32 *) b];

	return pa < pb ? -1 : pa > pb;
}

/* Makes a line of the numbers in a column and recodes it by size. */
static void
finish_line(Domain *domain, const Names *values, Code *code, uint64 nrows)
{
	uint32	   *order = grow(NULL, sizeof(uint32) * values->n);
	uint32	   *rank = grow(NULL, sizeof(uint32) * values->n);
	double	   *position = palloc(sizeof(double) * values->n);

	sort_position = grow(NULL, sizeof(double) * values->n);
	for (uint32 i = 0; i < values->n; i++)
	{
		order[i] = i;
		sort_position[i] = atof(values->text[i]);
	}
	qsort(order, values->n, sizeof(uint32), compare_positions);
	for (uint32 i = 0; i < values->n; i++)
	{
		rank[order[i]] = i;
		position[i] = sort_position[order[i]];
	}
	for (uint64 row = 0; row < nrows; row++)
		code[row] = rank[code[row]];
	make_line(domain, values->n, position);
}

/* Makes a tree of a root and the values below it. */
static void
finish_flat(Domain *domain, const Names *values)
{
	char	  **root = grow(NULL, sizeof(char *) * values->n);
	char	  **path[2] = {values->text, root};

	for (uint32 i = 0; i < values->n; i++)
		root[i] = "*";
	make_tree(domain, values->n, 2, path);
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Makes the tree of the values' prefixes and recodes the column by their bytes. */
static void
finish_prefixes(Domain *domain, const Names *values, Code *code, uint64 nrows)
{
	char	  **sorted = grow(NULL, sizeof(char *) * values->n);
	uint32	   *rank = grow(NULL, sizeof(uint32) * values->n);

	memcpy(sorted, values->text, sizeof(char *) * values->n);
	qsort(sorted, values->n, sizeof(char *), compare_names);
	for (uint32 i = 0; i < values->n; i++)
		rank[i] = (char **) bsearch(&values->text[i], sorted, values->n, sizeof(char *), compare_names) - sorted;
	for (uint64 row = 0; row < nrows; row++)
		code[row] = rank[code[row]];
	*domain = (Domain) {.size = values->n, .null_code = NO_CODE, .tree = tree_of_prefixes(sorted, values->n, false)};
}

/* Where the columns stand in the file. */
typedef struct Places
{
	int			column[MAX_BENCH_COLUMNS];
	int			required[MAX_BENCH_COLUMNS];
	int			sensitive;
} Places;

static int
place_of(const char *name, char **field, int nfields)
{
	for (int i = 0; i < nfields; i++)
		if (strcmp(field[i], name) == 0)
			return i;
	fail("no such column", name);
	return -1;
}

static void
find_places(const BenchInput *input, char *header, Places *places)
{
	char	   *field[MAX_FIELDS];
	int			nfields = split_line(header, field);

	for (int i = 0; i < input->ncolumns; i++)
		places->column[i] = place_of(input->columns[i].name, field, nfields);
	for (int i = 0; i < input->nrequired; i++)
		places->required[i] = place_of(input->required[i], field, nfields);
	if (input->sensitive != NULL)
		places->sensitive = place_of(input->sensitive, field, nfields);
}

static bool
is_complete(const BenchInput *input, const Places *places, char **field)
{
	for (int i = 0; i < input->nrequired; i++)
		if (field[places->required[i]][0] == '\0')
			return false;
	return true;
}

/* Appends one row's numbers to the frame. */
static void
add_row(Frame *frame, const BenchInput *input, const Places *places, char **field,
		Names *values, Names *sensitive)
{
	for (int q = 0; q < input->ncolumns; q++)
	{
		bool		add = input->columns[q].taxonomy == NULL;
		Code		code = names_number(&values[q], field[places->column[q]], add);

		if (code == NO_CODE)
			fail("not in the taxonomy", field[places->column[q]]);
		frame->code[q][frame->nrows] = code;
	}
	frame->sensitive[frame->nrows] = input->sensitive == NULL ? 0 :
		names_number(sensitive, field[places->sensitive], true);
	frame->nrows++;
}

bool
take_column(BenchInput *input, char *text)
{
	BenchColumn *column = &input->columns[input->ncolumns];

	if (input->ncolumns++ == MAX_BENCH_COLUMNS)
		return false;
	column->name = strtok(text, ":");
	column->kind = strtok(NULL, ":");
	column->taxonomy = strtok(NULL, "");
	return column->kind != NULL && (strcmp(column->kind, "taxonomy") == 0) == (column->taxonomy != NULL);
}

Frame *
read_csv(const BenchInput *input)
{
	Frame	   *frame = palloc0(sizeof(Frame));
	FILE	   *file = fopen(input->path, "r");
	Names	   *values = palloc0(sizeof(Names) * MAX_BENCH_COLUMNS);
	Names		sensitive = {0};
	Places		places = {0};
	uint64		allocated = 0;
	char		line[4096];
	char	   *field[MAX_FIELDS];

	if (file == NULL || fgets(line, sizeof(line), file) == NULL)
		fail("cannot read", input->path);
	find_places(input, line, &places);
	frame->nqis = input->ncolumns;
	frame->domain = palloc0(sizeof(Domain) * frame->nqis);
	frame->code = palloc0(sizeof(Code *) * frame->nqis);
	for (int q = 0; q < frame->nqis; q++)
		if (input->columns[q].taxonomy != NULL)
			read_taxonomy(input->columns[q].taxonomy, &frame->domain[q], &values[q]);
	while (fgets(line, sizeof(line), file) != NULL)
	{
		if (frame->nrows == allocated)
		{
			allocated = Max(1024, allocated * 2);
			for (int q = 0; q < frame->nqis; q++)
				frame->code[q] = grow(frame->code[q], sizeof(Code) * allocated);
			frame->sensitive = grow(frame->sensitive, sizeof(Code) * allocated);
		}
		(void) split_line(line, field);
		if (is_complete(input, &places, field))
			add_row(frame, input, &places, field, values, &sensitive);
	}
	fclose(file);
	for (int q = 0; q < frame->nqis; q++)
	{
		if (strcmp(input->columns[q].kind, "range") == 0)
			finish_line(&frame->domain[q], &values[q], frame->code[q], frame->nrows);
		else if (strcmp(input->columns[q].kind, "prefix") == 0)
			finish_prefixes(&frame->domain[q], &values[q], frame->code[q], frame->nrows);
		else if (input->columns[q].taxonomy == NULL)
			finish_flat(&frame->domain[q], &values[q]);
	}
	frame->nsensitive = Max(1, sensitive.n);
	return frame;
}

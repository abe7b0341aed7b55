/*
 * encoding.c
 *		The decoder of columns under libFuzzer, which sees what code its inputs reach.
 *
 * An input is a byte for the shape, three for the number of rows, and the
 * column's bytes.  ENCODING_SEEDS=DIRECTORY writes whole columns there, to begin
 * with, and ends.
 */
#include "shim.h"

#include "columns.h"
#include "hostile.h"

#include <stdlib.h>
#include <string.h>

#define HEADER 4
#define MOST_ROWS 5000
#define SEEDS 400
#define MOST_SEED 20000

extern int	LLVMFuzzerInitialize(int *argc, char ***argv);
extern int	LLVMFuzzerTestOneInput(const uint8 *data, size_t size);

static void
write_seed(const char *directory, int number)
{
	int			shape = number % shapes();
	TestColumn	column = draw_column_of(shape_number(shape), 4000);
	Size		length;
	char	   *bytes = encode_column(&column.shape, column.values, column.nulls, column.nrows, &length);
	char		path[MAXPGPATH];
	FILE	   *file;

	if (length > MOST_SEED)
		return;
	snprintf(path, sizeof(path), "%s/column-%d", directory, number);
	file = fopen(path, "wb");
	if (file == NULL)
		abort();
	fputc(shape, file);
	for (int i = 0; i < 3; i++)
		fputc(column.nrows >> (8 * i) & 0xFF, file);
	fwrite(bytes, 1, length, file);
	fclose(file);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *directory = getenv("ENCODING_SEEDS");

	CurrentMemoryContext = AllocSetContextCreateInternal(NULL, "fuzz", 0, 0, 0);
	if (directory == NULL)
		return 0;
	for (int i = 0; i < SEEDS; i++)
	{
		write_seed(directory, i);
		MemoryContextReset(CurrentMemoryContext);
	}
	exit(0);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	ColumnShape shape;
	uint32		nrows;

	if (size < HEADER)
		return 0;
	shape = shape_number(data[0] % shapes());
	nrows = (data[1] | data[2] << 8 | data[3] << 16) % MOST_ROWS;
	decode_anything(&shape, (const char *) data + HEADER, size - HEADER, nrows);
	return 0;
}

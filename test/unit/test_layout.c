/*
 * test_layout.c
 *		Headers and directories of groups, whole and damaged.
 */
#include "shim.h"

#include "columns.h"

#include <string.h>

#include "compat.h"
#include "store/layout.h"

#define COLUMNS 4
#define ROUNDS 300000

/* A header chunk of a group of 1,000 rows, the first of which has number 291,000. */
#define FIRST 291000

typedef struct GroupChunk
{
	GroupHeader header;
	ColumnEntry entries[COLUMNS];
	uint64		integers[2];	/* bounds */
	char		texts[2][8];
	char		numerics[2][8];
	char		columns[4000];
}			GroupChunk;

#define BYTES_OF(field) (offsetof(GroupChunk, field) - sizeof(GroupHeader))

static void
set_entry(GroupChunk * chunk, int column, uint64 length, uint32 nulls)
{
	chunk->entries[column] = (ColumnEntry) {.offset = BYTES_OF(columns) + column * 1000, .length = length, .nulls = nulls,
	.typlen = -1, .typalign = 'i'};
}

static void
set_bounds(GroupChunk * chunk, int column, Order order, uint32 bounds, uint16 least, uint16 greatest)
{
	ColumnEntry *entry = &chunk->entries[column];

	entry->flags |= COLUMN_HAS_BOUNDS;
	entry->order = order;
	entry->bounds = bounds;
	entry->least_length = least;
	entry->greatest_length = greatest;
}

/* Integers, texts, numerics, and only NULLs. */
static GroupChunk
sound_chunk(void)
{
	GroupChunk	chunk;

	memset(&chunk, 0, sizeof(chunk));
	chunk.header = (GroupHeader) {.magic = GROUP_MAGIC, .version = GROUP_VERSION, .natts = COLUMNS, .nrows = 1000,
	.length = sizeof(GroupChunk) - sizeof(GroupHeader), .directory = BYTES_OF(columns)};
	for (int column = 0; column < 3; column++)
		set_entry(&chunk, column, 990, 10);
	set_entry(&chunk, 3, 0, 1000);
	set_bounds(&chunk, 0, ORDER_INTEGER, BYTES_OF(integers), sizeof(Datum), sizeof(Datum));
	set_bounds(&chunk, 1, ORDER_TEXT, BYTES_OF(texts), 5, 8);
	set_bounds(&chunk, 2, ORDER_NUMERIC, BYTES_OF(numerics), 3, 7);
	chunk.integers[1] = 77;
	SET_VARSIZE_SHORT(chunk.texts[0], 5);
	SET_VARSIZE(chunk.texts[1], 8);
	SET_VARSIZE_SHORT(chunk.numerics[0], 3);
	chunk.numerics[0][2] = (char) 0x80;
	SET_VARSIZE_SHORT(chunk.numerics[1], 7);
	return chunk;
}

/* A bound that was let pass can be compared. */
static bool
bound_is_there(const GroupHeader *header, const char *directory, const ColumnEntry *entry)
{
	Size		greatest = entry->bounds + MAXALIGN(entry->least_length);
	ColumnShape shape = {-1, false, 'c', true};

	if (!(entry->flags & COLUMN_HAS_BOUNDS))
		return true;
	if (greatest + entry->greatest_length > header->directory)
		return false;
	if (!bound_is_by_reference(entry->order))
		return entry->least_length == sizeof(Datum) && entry->greatest_length == sizeof(Datum);
	if (entry->order == ORDER_UUID)
		return entry->least_length == 16 && entry->greatest_length == 16;
	touch_datum(&shape, PointerGetDatum(directory + entry->bounds));
	touch_datum(&shape, PointerGetDatum(directory + greatest));
	return VARSIZE_ANY(directory + entry->bounds) == entry->least_length &&
		VARSIZE_ANY(directory + greatest) == entry->greatest_length;
}

/*
 * What is said of a chunk of so many bytes; the bytes of its group, but for those
 * that stand in other chunks, are all that there is of the directory.
 */
static const char *
say(const GroupChunk * chunk, Size length)
{
	EncodedBytes bytes = place_bytes((const char *) chunk, length);
	GroupHeader header;
	const char *error = check_header(bytes.data, length, FIRST, &header);
	const char *directory;

	if (error != NULL)
		return error;
	check(header.natts <= 1600 && header.nrows > 0 && FIRST + header.nrows <= MAX_ROWS && header.directory <= header.length &&
		  length - sizeof(GroupHeader) == Min(header.length, HEADER_BYTES));
	if (header.directory > length - sizeof(GroupHeader))
		return NULL;
	directory = place_bytes(bytes.data + sizeof(GroupHeader), header.directory).data;
	for (int column = 0; column < header.natts; column++)
	{
		const ColumnEntry *entry = (const ColumnEntry *) directory + column;

		error = check_entry(&header, directory, column);
		if (error != NULL)
			return error;
		check(entry->offset + entry->length <= header.length && (entry->length > 0) == (entry->nulls < header.nrows));
		check(bound_is_there(&header, directory, entry));
	}
	return NULL;
}

static void
test_sound(void)
{
	GroupChunk	chunk = sound_chunk();

	check(say(&chunk, sizeof(chunk)) == NULL);
	/* Without columns nothing but the header is there. */
	chunk.header.natts = chunk.header.directory = chunk.header.length = 0;
	check(say(&chunk, sizeof(GroupHeader)) == NULL);
}

static void
check_said(const GroupChunk * chunk, const char *expected)
{
	const char *error = say(chunk, sizeof(*chunk));

	if (error == NULL || strcmp(error, expected) != 0)
		printf("# %s\n", error == NULL ? "no error" : error);
	check(error != NULL && strcmp(error, expected) == 0);
}

/* Each field, with what cannot be. */
#define WITH(field, number, expected) \
	do { \
		GroupChunk	other = sound_chunk(); \
		other.field = (number); \
		check_said(&other, expected); \
	} while (0)

static void
test_header(void)
{
	GroupChunk	chunk = sound_chunk();
	GroupHeader header;

	for (Size length = 0; length < sizeof(GroupHeader); length++)
		check(strcmp(say(&chunk, length), "Its header is none.") == 0);
	check(strcmp(say(&chunk, sizeof(chunk) - 1), "Its header has not the length that it says.") == 0);
	WITH(header.magic, 0, "Its header is none.");
	WITH(header.version, 2, "It was written by another version of pprepub.");
	WITH(header.natts, 1601, "Its header counts what cannot be.");
	WITH(header.nrows, 0, "Its header counts what cannot be.");
	WITH(header.nrows, ENCODING_MAX_ROWS + 1, "Its header counts what cannot be.");
	check(check_header((const char *) &chunk, sizeof(chunk), MAX_ROWS - 1000, &header) == NULL);
	check(strcmp(check_header((const char *) &chunk, sizeof(chunk), MAX_ROWS - 999, &header), "Its header has row numbers that cannot be.") == 0);
	WITH(header.length, PG_UINT64_MAX, "Its header has lengths that cannot be.");
	WITH(header.length, BYTES_OF(columns) - 8, "Its header has lengths that cannot be.");
	WITH(header.length, BYTES_OF(columns), "Its header has not the length that it says.");
	WITH(header.directory, PG_UINT32_MAX, "Its header has lengths that cannot be.");
	WITH(header.directory, (COLUMNS - 1) * sizeof(ColumnEntry), "Its header has lengths that cannot be.");
}

static void
test_directory(void)
{
	static const char lengths[] = "The directory has lengths that cannot be.";
	static const char bounds[] = "The directory has bounds that cannot be.";

	WITH(entries[0].offset, 4, lengths);
	WITH(entries[0].offset, PG_UINT64_MAX - 7, lengths);
	WITH(entries[0].length, PG_UINT64_MAX, lengths);
	WITH(entries[0].length, 0, lengths);
	WITH(entries[3].length, 8, lengths);
	WITH(entries[0].nulls, 1001, lengths);
	WITH(entries[0].nulls, 1000, lengths);
	WITH(entries[0].order, ORDER_NONE, bounds);
	WITH(entries[0].order, ORDER_LAST + 1, bounds);
	WITH(entries[0].order, ORDER_TEXT, bounds);
	WITH(entries[0].order, ORDER_UUID, bounds);
	WITH(entries[0].least_length, 0, bounds);
	WITH(entries[0].least_length, 7, bounds);
	WITH(entries[0].greatest_length, BOUND_BYTES + 1, bounds);
	WITH(entries[0].bounds, BYTES_OF(columns), bounds);
	WITH(entries[0].bounds, PG_UINT32_MAX - 7, bounds);
	WITH(entries[0].bounds, BYTES_OF(integers) + 4, bounds);
	WITH(entries[1].least_length, 6, bounds);
	WITH(entries[1].greatest_length, 7, bounds);
	/* A header of one byte, and nothing behind it; one of an external value; one that is longer than the numeric. */
	WITH(texts[0][0], 1, bounds);
	WITH(numerics[0][2], 0, bounds);
	WITH(numerics[1][0], 3, bounds);
}

/* Numbers at the edge of something, or any, over some field or none. */
static void
damage(GroupChunk * chunk)
{
	static const uint64 edges[] = {0, 1, 7, 8, 40, 63, 64, 65, 999, 1000, 1001, 1600, 8072, 8112, 0x7FFF, 0xFFFF,
	PG_INT32_MAX, PG_UINT32_MAX, PG_INT64_MAX, PG_UINT64_MAX - 7, PG_UINT64_MAX};
	Size		width = 1 << draw(4);
	Size		reach = draw(3) == 0 ? sizeof(GroupHeader) : offsetof(GroupChunk, columns);
	Size		place = draw(reach - width + 1);
	uint64		number = draw(3) == 0 ? draw_bits() : edges[draw(lengthof(edges))];

	if (draw(4) > 0)
		place -= place % width;
	memcpy((char *) chunk + place, &number, width);
}

static void
test_anything(void)
{
	MemoryContext outer = CurrentMemoryContext;
	uint32		refused = 0;

	for (uint32 round = 0; round < ROUNDS; round++)
	{
		GroupChunk	chunk = sound_chunk();
		Size		length = draw(8) == 0 ? draw(sizeof(chunk) + 1) : sizeof(chunk);

		CurrentMemoryContext = AllocSetContextCreate(outer, "round", ALLOCSET_DEFAULT_SIZES);
		for (uint32 times = 1 + draw(4); times > 0; times--)
			damage(&chunk);
		refused += say(&chunk, length) != NULL;
		MemoryContextDelete(CurrentMemoryContext);
		CurrentMemoryContext = outer;
	}
	printf("# %u damaged headers, %u of them refused\n", ROUNDS, refused);
	check(refused > ROUNDS / 4 && refused < ROUNDS);
}

static const Test tests[] = {
	{"what is sound", test_sound},
	{"headers", test_header},
	{"directories", test_directory},
	{"anything", test_anything},
};

RUN(tests)

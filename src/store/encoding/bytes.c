/*
 * bytes.c
 *		Bytes that grow at their end.
 */
#include "postgres.h"

#include "store/encoding/bytes.h"
#include "utils/memutils.h"

#define FIRST_ROOM 256
#define SPARE_ROOM 1024

void
output_create(Output *out)
{
	*out = (Output) {.data = palloc(FIRST_ROOM), .room = FIRST_ROOM};
}

void
output_reserve(Output *out, Size n)
{
	Size		wanted = SECTION_ALIGN(out->length) + n;

	if (wanted <= out->room)
		return;
	out->room = Max(wanted, Min(out->room * 2, out->room + 1024 * 1024));
	out->data = repalloc_huge(out->data, out->room);
}

char *
output_add(Output *out, Size n)
{
	Size		from = SECTION_ALIGN(out->length);

	output_reserve(out, n);
	memset(out->data + out->length, 0, from - out->length);
	out->length = from + n;
	return out->data + from;
}

void
output_trim(Output *out, Size n)
{
	Assert(n <= out->length);
	out->length -= n;
}

char *
output_finish(Output *out, Size *length)
{
	if (out->room - out->length > SPARE_ROOM)
		out->data = repalloc_huge(out->data, out->length);
	*length = out->length;
	return out->data;
}

/*
 * layout.c
 *		Do a group's header, its directory and its bounds say what can be?  See layout.h.
 */
#include "postgres.h"

#include "store/layout.h"

#include "compat.h"
#include "store/encoding/encoding.h"
#include "utils/uuid.h"

bool
knows_header(const char *chunk, Size length, GroupHeader *header)
{
	if (length < sizeof(GroupHeader))
		return false;
	memcpy(header, chunk, sizeof(GroupHeader));
	return header->magic == GROUP_MAGIC && header->version == GROUP_VERSION;
}

const char *
check_header(const char *chunk, Size length, uint64 first, GroupHeader *header)
{
	if (length < sizeof(GroupHeader))
		return "Its header is none.";
	memcpy(header, chunk, sizeof(GroupHeader));
	if (header->magic != GROUP_MAGIC)
		return "Its header is none.";
	if (header->version != GROUP_VERSION)
		return "It was written by another version of pprepub.";
	if (header->natts > MaxHeapAttributeNumber || header->nrows < 1 || header->nrows > ENCODING_MAX_ROWS)
		return "Its header counts what cannot be.";
	if (header->nrows > MAX_ROWS - first)
		return "Its header has row numbers that cannot be.";
	if (header->length > part_offset(PART_DATA_MAX) || header->directory > header->length ||
		header->directory < header->natts * sizeof(ColumnEntry))
		return "Its header has lengths that cannot be.";
	if (length - sizeof(GroupHeader) != Min(header->length, HEADER_BYTES))
		return "Its header has not the length that it says.";
	return NULL;
}

const char *
check_entry(const GroupHeader *header, const char *directory, int column)
{
	const ColumnEntry *entry = (const ColumnEntry *) directory + column;

	if (entry->unused != 0 || entry->unused_too != 0)
		return "The directory has bytes that are not known.";
	if (entry->offset % MAXIMUM_ALIGNOF != 0 || entry->offset > header->length ||
		entry->length > header->length - entry->offset || entry->nulls > header->nrows ||
		(entry->length == 0) != (entry->nulls == header->nrows))
		return "The directory has lengths that cannot be.";
	if (entry->flags & COLUMN_HAS_BOUNDS)
	{
		if (entry->order == ORDER_NONE || entry->order > ORDER_LAST || entry->bounds % MAXIMUM_ALIGNOF != 0 ||
			entry->least_length < 1 || entry->greatest_length < 1 ||
			entry->least_length > BOUND_BYTES || entry->greatest_length > BOUND_BYTES ||
			entry->bounds > header->directory ||
			MAXALIGN(entry->least_length) + entry->greatest_length > header->directory - entry->bounds)
			return "The directory has bounds that cannot be.";
		if (bound_is_by_reference(entry->order))
		{
			const char *least = directory + entry->bounds;
			const char *greatest = least + MAXALIGN(entry->least_length);

			if (!bound_is_sound(entry->order, least, entry->least_length) ||
				!bound_is_sound(entry->order, greatest, entry->greatest_length))
				return "The directory has bounds that cannot be.";
			return NULL;
		}
		if (entry->least_length != sizeof(Datum) || entry->greatest_length != sizeof(Datum))
			return "The directory has bounds that cannot be.";
	}
	return NULL;
}

bool
bound_is_by_reference(Order order)
{
	return order == ORDER_NUMERIC || order == ORDER_UUID || order == ORDER_TEXT;
}

Size
bound_length(Order order, Datum value)
{
	Size		length = order == ORDER_UUID ? UUID_LEN : VARSIZE_ANY(DatumGetPointer(value));

	return length <= BOUND_BYTES ? length : 0;
}

/* A numeric's first two bytes say by their highest bit whether its header ends with them. */
static bool
has_numeric_header(const char *bytes, Size length)
{
	const char *contents = VARDATA_ANY(bytes);
	uint16		header;

	length -= contents - bytes;
	if (length < sizeof(header))
		return false;
	memcpy(&header, contents, sizeof(header));
	return (header & 0x8000) != 0 || length >= 2 * sizeof(header);
}

bool
bound_is_sound(Order order, const char *bytes, Size length)
{
	bool		is_plain;

	if (order == ORDER_UUID)
		return length == UUID_LEN;
	is_plain = VARATT_IS_1B(bytes) ? !VARATT_IS_1B_E(bytes) && VARSIZE_1B(bytes) == length :
		length >= VARHDRSZ && VARATT_IS_4B_U(bytes) && VARSIZE_4B(bytes) == length;
	return is_plain && (order != ORDER_NUMERIC || has_numeric_header(bytes, length));
}

/*
 * bound_form.c
 *		The form that bounds have, as bytes.  See bounds.h.
 */
#include "postgres.h"

#include "store/bounds.h"

#include "compat.h"
#include "utils/uuid.h"

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

static bool
is_plain_varlena(const char *bytes, Size length)
{
	if (VARATT_IS_1B(bytes))
		return !VARATT_IS_1B_E(bytes) && VARSIZE_1B(bytes) == length;
	return length >= VARHDRSZ && VARATT_IS_4B_U(bytes) && VARSIZE_4B(bytes) == length;
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
	if (order == ORDER_UUID)
		return length == UUID_LEN;
	return is_plain_varlena(bytes, length) && (order != ORDER_NUMERIC || has_numeric_header(bytes, length));
}

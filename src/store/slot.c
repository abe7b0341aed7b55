/*
 * slot.c
 *		The slots that rows of our tables come in.
 *
 * NOTES
 *		ANALYZE puts what it drew in order by the places of its copies; those of
 *		a virtual slot have none.
 */
#include "store/slot.h"

#include "access/htup_details.h"

static HeapTuple
copy_with_place(TupleTableSlot *slot)
{
	HeapTuple	copy = TTSOpsVirtual.copy_heap_tuple(slot);

	copy->t_self = slot->tts_tid;
	return copy;
}

const TupleTableSlotOps *
stored_slot_ops(void)
{
	static TupleTableSlotOps ops;	/* made when first asked for: of what the server says of virtual ones */

	if (ops.copy_heap_tuple == NULL)
	{
		ops = TTSOpsVirtual;
		ops.copy_heap_tuple = copy_with_place;
	}
	return &ops;
}

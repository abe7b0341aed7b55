/*
 * signatures.c
 *		signatures(): in which releases each person was.
 */
#include "report/signatures.h"

#include "declare/work.h"
#include "fmgr.h"
#include "history/recall.h"
#include "history/texts.h"
#include "miscadmin.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(pprepub_signatures);

VarBit *
signature_of(const Atoms *atoms, uint32 atom, int32 nreleases)
{
	VarBit	   *signature = palloc0(VARBITTOTALLEN(nreleases));

	SET_VARSIZE(signature, VARBITTOTALLEN(nreleases));
	VARBITLEN(signature) = nreleases;
	for (uint32 place = atoms->last[atom]; place != NO_PLACE; place = atoms->previous[place])
		VARBITS(signature)[atoms->release[place] / BITS_PER_BYTE] |= HIGHBIT >> (atoms->release[place] % BITS_PER_BYTE);
	return signature;
}

static void
put_signatures(const OwnersWork *work)
{
	const DeclaredPublication *publication = work->publication;
	const Recalled *recalled = recall(publication);
	const Atoms *atoms = atoms_of(&recalled->seen);
	TextCast   *key = text_cast_create(publication_column(publication, ROLE_KEY));
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "signature", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(row);

	for (uint64 person = 0; person < recalled->people->size; person++)
	{
		Datum		values[2];
		bool		nulls[2] = {false};

		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(row);
		values[0] = text_cast(key, recalled->people->keys[person], &nulls[0]);
		values[1] = VarBitPGetDatum(signature_of(atoms, atoms->atom[person], recalled->seen.nreleases));
		report_row(work, values, nulls);
	}
	MemoryContextSwitchTo(old);
}

Datum
pprepub_signatures(PG_FUNCTION_ARGS)
{
	OwnersWork	work;

	report_open(&work, fcinfo, AccessShareLock);
	if (report_begin(&work, fcinfo))
	{
		put_signatures(&work);
		work_close(&work);
	}
	return (Datum) 0;
}

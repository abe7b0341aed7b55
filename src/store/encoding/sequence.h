/*
 * sequence.h
 *		A sequence of values, as they are or with a dictionary.
 */
#ifndef PPREPUB_STORE_ENCODING_SEQUENCE_H
#define PPREPUB_STORE_ENCODING_SEQUENCE_H

#include "store/encoding/distinct.h"

typedef struct SequencePlan
{
	bool		has_dictionary;
	Distinct	distinct;
	Values		entries;		/* of the dictionary */
	PackedPlan	codes;
	ValuesPlan	values;			/* the dictionary's, or all */
	uint64		size;
} SequencePlan;

/* Chooses the encoding that takes least for these values, which must stay. */
extern void sequence_measure(SequencePlan *plan, const Values *values);

/* Like sequence_measure(), for all rows' values, when the plan for one value of each run is known. */
extern void sequence_measure_rows(SequencePlan *plan, const Values *values, const SequencePlan *by_run,
								  const uint64 *lengths, uint32 nruns);

extern void sequence_write(Output *out, const SequencePlan *plan);

typedef struct SequenceReader
{
	uint32		n;
	bool		has_dictionary;
	MemoryContext context;		/* of the dictionary, once it is read */

	/* The dictionary */
	uint32		nentries;
	PackedReader codes;
	Datum	   *entries;		/* owned; [nentries], NULL until needed; 0 where not yet read */

	ValuesReader values;
} SequenceReader;

extern const char *sequence_open(SequenceReader *reader, Input *in, const ColumnShape *shape, uint32 n,
								 bool has_dictionary);

/* Reads some values, at most ENCODING_VECTOR; the context takes what is made for them alone. */
extern const char *sequence_read(SequenceReader *reader, uint32 from, uint32 n, MemoryContext context,
								 Datum *values);

/* With a dictionary: reads some codes, at most ENCODING_VECTOR, and the entry of one, which is kept. */
extern const char *sequence_read_codes(const SequenceReader *reader, uint32 from, uint32 n, uint64 *codes);
extern const char *sequence_entry(SequenceReader *reader, uint32 code, Datum *value);

/* Reads one value, without keeping anything of the dictionary. */
extern const char *sequence_read_one(const SequenceReader *reader, uint32 i, MemoryContext context,
									 Datum *value);

#endif							/* PPREPUB_STORE_ENCODING_SEQUENCE_H */

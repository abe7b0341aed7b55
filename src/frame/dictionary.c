/*
 * dictionary.c
 *		Numbering the distinct values of a column.
 */
#include "frame/dictionary.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "common/pg_prng.h"
#include "compat.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "frame/key_table.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

/* The bytes that distinguish a value, or the value itself when passed by value. */
typedef struct Image
{
	const char *bytes;			/* NULL when passed by value */
	uint64		word;			/* the value, or the length of its bytes */
} Image;

typedef struct ImageEntry
{
	Image		image;
	uint32		hash;
	uint32		number;
	char		status;			/* simplehash's own */
} ImageEntry;

static inline uint32
hash_word(uint64 word)
{
	return murmurhash32((uint32) word ^ (uint32) (word >> 32) * 0x9e3779b9);
}

/* With a key that differs from process to process, so that authors of data cannot make values collide. */
static inline uint32
hash_image(uint64 key, Image image)
{
	return image.bytes == NULL ? hash_word(image.word) : (uint32) hash_bytes_extended((const unsigned char *) image.bytes, image.word, key);
}

static inline bool
equal_images(Image a, Image b)
{
	return a.word == b.word && (a.bytes == b.bytes || memcmp(a.bytes, b.bytes, a.word) == 0);
}

#define SH_PREFIX imagemap
#define SH_ELEMENT_TYPE ImageEntry
#define SH_KEY_TYPE Image
#define SH_KEY image
#define SH_HASH_KEY(tb, key) hash_image(*(const uint64 *) (tb)->private_data, (key))
#define SH_EQUAL(tb, a, b) equal_images((a), (b))
#define SH_STORE_HASH
#define SH_GET_HASH(tb, entry) (entry)->hash
#define SH_SCOPE pg_attribute_unused() static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* The fingerprint of NULL; it must not be 0, which is the fingerprint of the number 0. */
#define NULL_PRINT 0x6a09e667

struct Dictionary
{
	Oid			type;
	int16		length;
	bool		byval;

	/* Values by number */
	Datum	   *values;
	uint32		size;
	uint32		capacity;

	imagemap_hash *numbers;
	uint64		key;			/* of hashes */
	MemoryContext context;
};

Dictionary *
dictionary_create(Oid type)
{
	Dictionary *dictionary = palloc0(sizeof(Dictionary));

	dictionary->type = type;
	get_typlenbyval(type, &dictionary->length, &dictionary->byval);
	dictionary->capacity = 64;
	dictionary->values = palloc0(sizeof(Datum) * dictionary->capacity);
	dictionary->size = 1;		/* NULL */
	dictionary->context = CurrentMemoryContext;
	dictionary->key = pg_prng_uint64(&pg_global_prng_state);
	dictionary->numbers = imagemap_create(CurrentMemoryContext, 64, &dictionary->key);
	return dictionary;
}

/* A value's image; it points into the value, which must not be toasted. */
static inline Image
image_of(const Dictionary *dictionary, Datum value)
{
	if (dictionary->byval)
		return (Image) {NULL, value};
	if (dictionary->length == -1)
		return (Image) {VARDATA_ANY(DatumGetPointer(value)),
		VARSIZE_ANY_EXHDR(DatumGetPointer(value))};
	return (Image) {DatumGetPointer(value),
	dictionary->length == -2 ? strlen(DatumGetCString(value)) : (uint64) dictionary->length};
}

/* Gives the next number to a value, which must live as long as the dictionary. */
static uint32
add_value(Dictionary *dictionary, Datum value)
{
	if (dictionary->size == dictionary->capacity)
	{
		if (dictionary->capacity > PG_UINT32_MAX / 2)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("a column has too many distinct values"),
					 errhint("Declare a view that rounds them, or a publication for each of several views that divide the people among them.")));
		dictionary->capacity *= 2;
		dictionary->values = repalloc_huge(dictionary->values, sizeof(Datum) * (Size) dictionary->capacity);
	}
	dictionary->values[dictionary->size] = value;
	return dictionary->size++;
}

uint32
dictionary_number(Dictionary *dictionary, Datum value, bool isnull)
{
	ImageEntry *entry;
	Datum		plain = value;
	bool		found;

	if (isnull)
		return DICTIONARY_NULL;
	if (dictionary->length == -1)
		plain = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
	entry = imagemap_insert(dictionary->numbers, image_of(dictionary, plain), &found);
	if (!found)
	{
		/* The key of the new entry points into the row, so it must be replaced by a copy. */
		MemoryContext old = MemoryContextSwitchTo(dictionary->context);
		Datum		copy = datumCopy(plain, dictionary->byval, dictionary->length);

		entry->image = image_of(dictionary, copy);
		entry->number = add_value(dictionary, copy);
		MemoryContextSwitchTo(old);
	}
	if (plain != value)
		pfree(DatumGetPointer(plain));
	return entry->number;
}

void
dictionary_forget_index(Dictionary *dictionary)
{
	imagemap_destroy(dictionary->numbers);
	dictionary->numbers = NULL;
}

uint32
dictionary_size(const Dictionary *dictionary)
{
	return dictionary->size;
}

Datum
dictionary_value(const Dictionary *dictionary, uint32 number)
{
	Assert(number > DICTIONARY_NULL && number < dictionary->size);
	return dictionary->values[number];
}

char *
value_text(Oid type, Datum value)
{
	Oid			output;
	bool		varlena;

	getTypeOutputInfo(type, &output, &varlena);
	return OidOutputFunctionCall(output, value);
}

char **
dictionary_texts(const Dictionary *dictionary)
{
	char	  **texts = new_zeros(char *, dictionary->size);
	Oid			output;
	bool		varlena;
	FmgrInfo	function;

	getTypeOutputInfo(dictionary->type, &output, &varlena);
	fmgr_info(output, &function);
	for (uint32 i = 1; i < dictionary->size; i++)
	{
		CHECK_FOR_INTERRUPTS();
		texts[i] = OutputFunctionCall(&function, dictionary->values[i]);
		if (dictionary->type == BPCHAROID)
			texts[i][bpchartruelen(texts[i], strlen(texts[i]))] = '\0';
	}
	return texts;
}

uint32 *
dictionary_fingerprints(const Dictionary *dictionary)
{
	uint32	   *prints = new_array(uint32, dictionary->size);

	prints[DICTIONARY_NULL] = NULL_PRINT;
	for (uint32 i = 1; i < dictionary->size; i++)
	{
		Image		image = image_of(dictionary, dictionary->values[i]);

		/* not keyed: the same in every process */
		prints[i] = image.bytes == NULL ? hash_word(image.word) : hash_bytes((const unsigned char *) image.bytes, image.word);
	}
	return prints;
}

/* Do equal values of the type always have equal bytes? */
static bool
equal_means_same_bytes(Oid type, Oid collation)
{
	switch (type)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case UUIDOID:
		case BYTEAOID:
			return true;
		case TEXTOID:
		case VARCHAROID:
			return get_collation_isdeterministic(collation);
		default:
			return get_typtype(type) == TYPTYPE_ENUM;
	}
}

Code *
dictionary_merge_equal(const Dictionary *dictionary, Oid collation, Code *ncodes, Datum **values)
{
	Code	   *code = new_array(Code, dictionary->size);
	KeyTable   *codes = equal_means_same_bytes(dictionary->type, collation) ? NULL : keys_create(dictionary->type, collation);

	*values = new_array(Datum, dictionary->size);
	*ncodes = 0;
	code[DICTIONARY_NULL] = NO_CODE;
	for (uint32 i = 1; i < dictionary->size; i++)
	{
		CHECK_FOR_INTERRUPTS();
		code[i] = codes == NULL ? *ncodes : keys_add(codes, dictionary->values[i]);
		if (code[i] == *ncodes)
			(*values)[(*ncodes)++] = dictionary->values[i];
	}
	if (codes != NULL)
		keys_forget(codes);
	return code;
}

typedef struct Ordering
{
	const Dictionary *dictionary;
	FmgrInfo   *compare;
	Oid			collation;
} Ordering;

/* Compares values by their numbers, as qsort_arg() wants it. */
static int
compare_numbers(const void *a, const void *b, void *arg)
{
	const Ordering *ordering = arg;

	CHECK_FOR_INTERRUPTS();
	return DatumGetInt32(FunctionCall2Coll(ordering->compare, ordering->collation,
										   ordering->dictionary->values[*(const uint32 *) a],
										   ordering->dictionary->values[*(const uint32 *) b]));
}

Code *
dictionary_codes_in_order(const Dictionary *dictionary, Oid collation, Code *ncodes)
{
	TypeCacheEntry *type = lookup_type_cache(dictionary->type, TYPECACHE_CMP_PROC_FINFO);
	Ordering	ordering = {dictionary, &type->cmp_proc_finfo, collation};
	uint32		nvalues = dictionary->size - 1;
	uint32	   *sorted = new_array(uint32, nvalues);
	Code	   *code = new_array(Code, dictionary->size);

	if (!OidIsValid(type->cmp_proc_finfo.fn_oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify a comparison function for type %s", format_type_be(dictionary->type))));
	for (uint32 i = 0; i < nvalues; i++)
		sorted[i] = i + 1;
	qsort_arg(sorted, nvalues, sizeof(uint32), compare_numbers, &ordering);
	*ncodes = 0;
	code[DICTIONARY_NULL] = NO_CODE;
	for (uint32 i = 0; i < nvalues; i++)
	{
		*ncodes += i > 0 && compare_numbers(&sorted[i - 1], &sorted[i], &ordering) != 0;
		code[sorted[i]] = *ncodes;
	}
	*ncodes += nvalues > 0;
	pfree(sorted);
	return code;
}

/*
 * given.c
 *		Rows that stand somewhere else than in the source, as far as the past asks
 *		for them: who they are, and what was shown of them.
 */
#include "frame/loading.h"

FrameLoad *
load_given(const DeclaredPublication *publication, KeyTable *keys,
		   Dictionary *sensitive, uint32 *number, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	FrameLoad  *load = palloc0(sizeof(FrameLoad));

	load->publication = publication;
	load->context = context;
	load->shown = palloc0(sizeof(bool) * publication->ncolumns);
	load->keys = keys;
	load->nrows = load->nasked = load->capacity = keys->size;
	load->ncolumns = 1;
	load->columns = palloc0(sizeof(LoadingColumn));
	load->columns[0] = (LoadingColumn) {
		.column = publication_column(publication, ROLE_SENSITIVE),
		.dictionary = sensitive,
		.number = number,
	};
	MemoryContextSwitchTo(old);
	return load;
}

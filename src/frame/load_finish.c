/*
 * load_finish.c
 *		The second pass of loading: numbers become codes.
 */
#include "frame/load_private.h"

#include "common/hashfn.h"
#include "frame/arrays.h"
#include "frame/bins.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* Replaces numbers by codes in place. */
static Code *
recode(const FrameLoad *load, uint32 *number, const Code *code)
{
	for (uint64 row = 0; row < load->nrows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		number[row] = code[number[row]];
	}
	return number;
}

static bool
has_null(const FrameLoad *load, const LoadingColumn *column)
{
	for (uint64 row = 0; row < load->nrows; row++)
		if (column->number[row] == DICTIONARY_NULL)
			return true;
	return false;
}

static char *
value_text(Oid type, Datum value)
{
	Oid			output;
	bool		varlena;

	getTypeOutputInfo(type, &output, &varlena);
	return OidOutputFunctionCall(output, value);
}

/* Lists the examples for the error's detail. */
static char *
example_list(const LoadingColumn *column, const RangeStep *step, const Uncodable *uncodable)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < uncodable->nexamples; i++)
		appendStringInfo(&list, "%s\"%s\"", i > 0 ? ", " : "",
						 value_text(step == NULL ? column->column->type : step->type,
									dictionary_value(column->dictionary, uncodable->examples[i])));
	return list.data;
}

/* Raises an error with the number of rows; the server log gets no examples, since they are private. */
static void
refuse_uncodable(const FrameLoad *load, const LoadingColumn *column, const RangeStep *step,
				 const Code *code, const Uncodable *uncodable)
{
	uint64		rows = 0;

	for (uint64 row = 0; row < load->nrows; row++)
		rows += column->number[row] != DICTIONARY_NULL && code[column->number[row]] == NO_CODE;
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("column \"%s\" of publication \"%s\" has " UINT64_FORMAT " row(s) %s",
					column->column->name, load->publication->name, rows, uncodable->reason),
			 errdetail("For example: %s.", example_list(column, step, uncodable)),
			 errdetail_log("Its values are told to the owner only."),
			 errhint("%s", uncodable->hint)));
}

/* Adds a column to the fingerprints of rows: of its values, or of their bins. */
static void
add_fingerprints(const FrameLoad *load, LoadedFrame *loaded, const LoadingColumn *column, const Bins *bins)
{
	uint32	   *prints = dictionary_fingerprints(bins == NULL ? column->dictionary : bins->bins);

	for (uint64 row = 0; row < load->nrows; row++)
	{
		uint32		number = column->number[row];

		CHECK_FOR_INTERRUPTS();
		loaded->fingerprint[row] = hash_combine(loaded->fingerprint[row],
												prints[bins == NULL ? number : bins->number[number]]);
	}
	pfree(prints);
}

/* Adds a column of a range to the fingerprints; puts bins in the place of its values unless these are to be kept. */
static const RangeStep *
round_to_bins(const FrameLoad *load, LoadedFrame *loaded, LoadingColumn *column)
{
	const RangeStep *step = step_of(column->column);
	Bins		bins;

	if (step == NULL)
	{
		add_fingerprints(load, loaded, column, NULL);
		return NULL;
	}
	bins = bins_of(step, column->column->type, column->dictionary);
	add_fingerprints(load, loaded, column, &bins);
	if (load->is_exact)
		return NULL;
	column->dictionary = bins.bins;
	recode(load, column->number, bins.number);
	return step;
}

/* Codes a quasi-identifier; registered people, who are not in the source, do not count as frequencies. */
static void
load_quasi_identifier(FrameLoad *load, LoadedFrame *loaded, LoadingColumn *column)
{
	Frame	   *frame = &loaded->frame;
	int			q = frame->nqis++;
	const RangeStep *step;
	Uncodable	uncodable;
	Code	   *code;

	dictionary_forget_index(column->dictionary);
	step = round_to_bins(load, loaded, column);
	loaded->codings[q] = code_column(column->column, step, column->tree, column->dictionary,
									 has_null(load, column), &code, &uncodable);
	loaded->codings[q]->is_part = load->condition != NULL;
	if (uncodable.reason != NULL && !load->is_lenient)
		refuse_uncodable(load, column, step, code, &uncodable);
	frame->code[q] = recode(load, column->number, code);
	for (uint64 row = 0; row < load->nrows - load->nregistered; row++)
		loaded->codings[q]->domain->frequency[frame->code[q][row]]++;
	frame->domain[q] = *loaded->codings[q]->domain;
	loaded->codings[q]->domain = &frame->domain[q];
	pfree(code);
}

/* Codes a sensitive or insensitive column; returns the map from the dictionary's numbers to codes. */
static Code *
load_plain(FrameLoad *load, PlainColumn *plain, LoadingColumn *column)
{
	Code	   *code;

	plain->column = column->column;
	if (column->column->role == ROLE_SENSITIVE)
		code = dictionary_merge_equal(column->dictionary, column->column->collation,
									  &plain->ncodes, &plain->values);
	else
	{
		/* Insensitive values leave exactly as they are: each its own code. */
		plain->ncodes = dictionary_size(column->dictionary) - 1;
		plain->values = new_array(Datum, plain->ncodes);
		code = new_array(Code, plain->ncodes);
		code[DICTIONARY_NULL] = NO_CODE;
		for (uint32 i = 1; i <= plain->ncodes; i++)
		{
			plain->values[i - 1] = dictionary_value(column->dictionary, i);
			code[i] = i - 1;
		}
	}
	plain->code = recode(load, column->number, code);
	return code;
}

/* Marks the rows asked for, which come first; NULL where there are no others. */
static const bool *
asked_rows(const FrameLoad *load)
{
	bool	   *asked;

	if (load->nasked == load->nrows)
		return NULL;
	asked = new_zeros(bool, load->nrows);
	memset(asked, true, load->nasked);
	return asked;
}

/* Marks the codes of protected values; NULL where all values are protected. */
static const bool *
protected_values(const FrameLoad *load, const LoadedFrame *loaded)
{
	bool	   *is_protected;

	if (load->protected == NULL)
		return NULL;
	is_protected = new_zeros(bool, loaded->frame.nsensitive);
	for (uint64 i = 0; i < load->nprotected; i++)
		if (load->protected[i] != DICTIONARY_NULL)
			is_protected[loaded->sensitive_code[load->protected[i]]] = true;
	return is_protected;
}

/* Groups rows by a column's values, or by their bins, in the order of its type. */
static void
group_rows(const FrameLoad *load, const LoadingColumn *column, RowGroups *groups)
{
	const RangeStep *step = step_of(column->column);
	Bins		bins = {.bins = column->dictionary};
	Code	   *code;

	if (step != NULL)
		bins = bins_of(step, column->column->type, column->dictionary);
	code = dictionary_codes_in_order(bins.bins, column->column->collation, &groups->ncodes);
	groups->code = new_array(Code, load->nrows);
	for (uint64 row = 0; row < load->nrows; row++)
	{
		uint32		number = column->number[row];

		groups->code[row] = code[step == NULL ? number : bins.number[number]];
	}
	pfree(code);
}

/* By when people leave; before columns are coded in place. */
static void
load_layout(const FrameLoad *load, Frame *frame)
{
	RowGroups  *groups;

	if (load->leaves == NULL)
		return;
	groups = palloc0(sizeof(RowGroups));
	group_rows(load, load->leaves, groups);
	frame->leaves = groups;
}

/* Codes a column in the way that its role demands. */
static void
load_column(FrameLoad *load, LoadedFrame *loaded, LoadingColumn *column)
{
	switch (column->column->role)
	{
		case ROLE_KEY:
		case ROLE_LAYOUT:
		case ROLE_SENSITIVE_PART:
			break;
		case ROLE_QUASI_IDENTIFIER:
			load_quasi_identifier(load, loaded, column);
			break;
		case ROLE_SENSITIVE:
			loaded->sensitive_code = load_plain(load, &loaded->sensitive, column);
			break;
		case ROLE_INSENSITIVE:
			pfree(load_plain(load, &loaded->insensitive[loaded->ninsensitive++], column));
			break;
	}
}

/* Raises an error if a row has a sensitive value that the taxonomy does not cover by which its column is judged. */
static void
verify_within_bands(const FrameLoad *load, const LoadedFrame *loaded)
{
	for (int c = 0; c < loaded->columns->n; c++)
	{
		const SensitiveColumn *column = &loaded->columns->column[c];
		Code		example = NO_CODE;
		uint64		rows = 0;

		for (uint64 row = 0; row < load->nrows && column->judged.beyond != NO_CODE; row++)
			if (is_beyond(loaded->columns, c, loaded->frame.sensitive[row]))
			{
				example = code_in_column(column, loaded->frame.sensitive[row]);
				rows++;
			}
		if (rows > 0)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_EXCEPTION),
					 column->column->level > 0
					 ? errmsg("column \"%s\" of publication \"%s\" has " UINT64_FORMAT " row(s) with values that level %d of taxonomy \"%s\" lacks",
							  column->column->name, load->publication->name, rows, column->column->level, column->column->taxonomy)
					 : errmsg("column \"%s\" of publication \"%s\" has " UINT64_FORMAT " row(s) with values that taxonomy \"%s\" lacks",
							  column->column->name, load->publication->name, rows, column->column->taxonomy),
					 errdetail("For example: \"%s\".", value_text(column->column->type, column->values[example])),
					 errdetail_log("Its values are told to the owner only."),
					 column->column->level > 0
					 ? errhint("Add them with pprepub.extend_taxonomy() and adopt the extension with pprepub.alter_publication(), or declare a view that turns them into NULL.")
					 : errhint("Judge it by a ladder that holds them, or declare a view that turns them into NULL.")));
	}
}

/* Builds the frame from the columns, whose numbers are replaced by codes in place. */
static LoadedFrame *
finish_frame(FrameLoad *load)
{
	LoadedFrame *loaded = palloc0(sizeof(LoadedFrame));
	Frame	   *frame = &loaded->frame;

	frame->nrows = load->nrows;
	frame->domain = palloc0(sizeof(Domain) * load->ncolumns);
	frame->code = palloc0(sizeof(Code *) * load->ncolumns);
	loaded->codings = palloc0(sizeof(Coding *) * load->ncolumns);
	loaded->insensitive = palloc0(sizeof(PlainColumn) * load->ncolumns);
	loaded->keys = load->keys->keys;
	loaded->shown = load->shown;
	loaded->fingerprint = new_zeros(uint32, load->nrows);
	load_layout(load, frame);
	progress_phase("code columns", load->ncolumns);
	for (int i = 0; i < load->ncolumns; i++)
	{
		if (!load->columns[i].is_layout_only)
			load_column(load, loaded, &load->columns[i]);
		progress_step(1);
	}
	frame->sensitive = loaded->sensitive.code;
	frame->nsensitive = loaded->sensitive.ncodes;
	loaded->columns = sensitive_columns(load->publication, loaded->sensitive.values, loaded->sensitive.ncodes);
	spell_alike(load->publication, loaded->columns, loaded->sensitive.values, loaded->sensitive.ncodes);
	frame->aspects = load_aspects(load, loaded->columns, loaded->sensitive_code, frame->nsensitive);
	if (!load->is_lenient)
		verify_within_bands(load, loaded);
	frame->asked = asked_rows(load);
	frame->is_cohort = load->condition != NULL;
	frame->is_protected = protected_values(load, loaded);
	loaded->left_out = load->left_out;
	return loaded;
}

LoadedFrame *
load_finish_exact(FrameLoad *load)
{
	load->is_exact = true;
	return load_finish(load);
}

LoadedFrame *
load_finish(FrameLoad *load)
{
	MemoryContext old = MemoryContextSwitchTo(load->context);
	LoadedFrame *loaded;

	keys_forget_index(load->keys);
	loaded = finish_frame(load);
	MemoryContextSwitchTo(old);
	return loaded;
}

/*
 * request.c
 *		From a request to what it means for a publication.
 */
#include "release/request.h"

#include "release/cohort/cohort.h"
#include "release/shown_columns.h"

Scope
scope_of(const DeclaredPublication *publication, const Request *request, bool is_lenient)
{
	return (Scope) {
		.request = request,
		.shown = shown_columns(publication, request->columns),
		.condition = request->cohort == NULL ? NULL : cohort_condition(publication, request->cohort),
		.is_lenient = is_lenient,
	};
}

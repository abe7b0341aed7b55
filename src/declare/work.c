/*
 * work.c
 *		Work on a publication, as its owner, and reports; and auditors, roles that may judge what is out, and see no data.
 */
#include "declare/work.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc_d.h"
#include "commands/comment.h"
#include "compat.h"
#include "declare/catalog.h"
#include "declare/publication.h"
#include "declare/target_objects.h"
#include "declare/warn_owner.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"
#include "utils/timeout.h"
#include "utils/tuplestore.h"

/* A call of a function that auditors may call. */
typedef struct AuditCall
{
	bool		hides_data;		/* also from an owner, who wants what others may see */
	bool		hides_errors;	/* an auditor's work is under way */
	ResourceOwner outer;		/* of what stays behind the call */
} AuditCall;

/* The innermost one; NULL outside of such a call. */
static AuditCall *call = NULL;

void
work_begin(OwnersWork *work, Oid owner, Snapshot snapshot)
{
	bool		is_auditor = !has_rights_of(owner);

	work->is_auditors = is_auditor || (call != NULL && call->hides_data);
	work->hid_errors = call != NULL && call->hides_errors;
	if (call != NULL && is_auditor)
		call->hides_errors = true;
	work->context = AllocSetContextCreate(CurrentMemoryContext, "work of an owner", ALLOCSET_DEFAULT_SIZES);
	PushActiveSnapshot(snapshot);
	act_as(&work->caller, owner);
	if (work->is_auditors)
	{
		/* Code of the source may tell values in messages, and parallel workers write its errors to the log. */
		(void) set_config_option("client_min_messages", "error", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
		(void) set_config_option("max_parallel_workers_per_gather", "0", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
	}
	SPI_connect();
	MemoryContextSwitchTo(work->context);
}

void
work_end(OwnersWork *work)
{
	if (call != NULL)
		call->hides_errors = work->hid_errors;
	SPI_finish();
	act_as_before(&work->caller);
	PopActiveSnapshot();
}

void
work_close(OwnersWork *work)
{
	work_end(work);
	MemoryContextDelete(work->context);
}

/* ----------------------------------------------------------------
 * For auditors
 * ----------------------------------------------------------------
 */

/*
 * The code of an error that a source's own code may have chosen, five letters of a value: only what programs act on is
 * told of one of the moment, and nothing of others.
 */
static int
told_code(int sqlerrcode)
{
	switch (sqlerrcode)
	{
		case ERRCODE_T_R_SERIALIZATION_FAILURE:
		case ERRCODE_T_R_DEADLOCK_DETECTED:
		case ERRCODE_QUERY_CANCELED:
		case ERRCODE_LOCK_NOT_AVAILABLE:
			return sqlerrcode;
		default:
			return is_transient(sqlerrcode) ? ERRCODE_TO_CATEGORY(sqlerrcode) : ERRCODE_EXTERNAL_ROUTINE_EXCEPTION;
	}
}

/* Raises an error in place of one that may tell a value of the source, if only in its context. */
static void
hide_error(MemoryContext context)
{
	ErrorData  *error;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	if (is_transient(error->sqlerrcode))
		ereport(ERROR,
				(errcode(told_code(error->sqlerrcode)),
				 errmsg("the audit was interrupted"),
				 errdetail("It was canceled, took too long or too much, or was in the way of others."),
				 errhint("Call the function again.")));
	ereport(ERROR,
			(errcode(told_code(error->sqlerrcode)),
			 errmsg("the publication cannot be audited as it is"),
			 errdetail("An error that may tell a value of the source is shown to its owner only."),
			 errhint("Let its owner call the function.")));
}

/*
 * Unlocks all that was locked meanwhile: neither publishers nor the owner of a source shall wait for the end of the
 * transaction of a reader.  Where code of a source has written, the locks stay, since others must not see what it wrote.
 */
static void
let_go(ResourceOwner owner, bool has_written)
{
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_BEFORE_LOCKS, true, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_LOCKS, has_written, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_AFTER_LOCKS, true, false);
	ResourceOwnerDelete(owner);
}

#define CLIENT_CHECK_MS	1000

/*
 * From here on, a client that has gone ends its session: nobody reads what the function computes, which may take minutes.
 *  PostgreSQL looks for that, if it is set so, which it is not by default.  Returns whether it is set here.
 */
static bool
watch_client(void)
{
	if (client_connection_check_interval > 0 || MyProcPort == NULL || !WaitEventSetCanReportClosed())
		return false;
	client_connection_check_interval = CLIENT_CHECK_MS;
	enable_timeout_after(CLIENT_CONNECTION_CHECK_TIMEOUT, CLIENT_CHECK_MS);
	return true;
}

static void
unwatch_client(bool is_watched)
{
	if (!is_watched)
		return;
	disable_timeout(CLIENT_CONNECTION_CHECK_TIMEOUT, false);
	client_connection_check_interval = 0;
}

Datum
for_auditors(FunctionCallInfo fcinfo, PGFunction body)
{
	MemoryContext context = CurrentMemoryContext;
	AuditCall  *outer = call;
	AuditCall	own = {.hides_data = outer != NULL && outer->hides_data, .outer = CurrentResourceOwner};
	ResourceOwner owner = ResourceOwnerCreate(own.outer, "call of an auditor");
	CommandId	before = GetCurrentCommandId(false);
	bool		is_watched = watch_client();
	Datum		result;

	call = &own;
	CurrentResourceOwner = owner;
	PG_TRY();
	{
		result = body(fcinfo);
	}
	PG_CATCH();
	{
		call = outer;
		CurrentResourceOwner = own.outer;
		unwatch_client(is_watched);
		if (own.hides_errors)
			hide_error(context);
		PG_RE_THROW();
	}
	PG_END_TRY();
	call = outer;
	CurrentResourceOwner = own.outer;
	unwatch_client(is_watched);
	let_go(owner, GetCurrentCommandId(false) != before);
	return result;
}

void
hide_data(void)
{
	call->hides_data = true;
}

/* ----------------------------------------------------------------
 * Reports
 * ----------------------------------------------------------------
 */

void
begin_rows(FunctionCallInfo fcinfo)
{
	ResourceOwner owner = CurrentResourceOwner;

	if (call != NULL)
		CurrentResourceOwner = call->outer;
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	CurrentResourceOwner = owner;
}

void
report_open(OwnersWork *work, FunctionCallInfo fcinfo)
{
	work->publication = publication_look(text_argument(fcinfo, 0, "the name of a publication"), false);
	work->result = (ReturnSetInfo *) fcinfo->resultinfo;
}

void
report_open_for_auditor(OwnersWork *work, FunctionCallInfo fcinfo)
{
	work->publication = publication_look(text_argument(fcinfo, 0, "the name of a publication"), true);
	work->result = (ReturnSetInfo *) fcinfo->resultinfo;
}

bool
report_begin(OwnersWork *work, FunctionCallInfo fcinfo)
{
	begin_rows(fcinfo);
	if (work->publication->releases == 0)
		return false;
	work_begin(work, work->publication->owner, GetActiveSnapshot());
	return true;
}

void
report_row(const OwnersWork *work, Datum *values, bool *nulls)
{
	tuplestore_putvalues(work->result->setResult, work->result->setDesc, values, nulls);
}

Datum
report(FunctionCallInfo fcinfo, void (*put) (const OwnersWork *work))
{
	OwnersWork	work;

	report_open(&work, fcinfo);
	if (report_begin(&work, fcinfo))
	{
		put(&work);
		work_close(&work);
	}
	return (Datum) 0;
}

/* ----------------------------------------------------------------
 * grant_audit() and revoke_audit()
 * ----------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(pprepub_grant_audit);
PG_FUNCTION_INFO_V1(pprepub_revoke_audit);

/* Executes a GRANT or REVOKE on the publication's view, which is made if that is wanted; returns the role. */
static Oid
change_auditors(FunctionCallInfo fcinfo, const char *statement, bool is_made, const DeclaredPublication **changed)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication;
	Oid			role;
	Oid			auditors;
	Identity	caller;

	verify_not_null(fcinfo, 1, "the role");
	role = get_role_oid(NameStr(*PG_GETARG_NAME(1)), false);
	publication = publication_open(name, ExclusiveLock);
	auditors = noted_relation(publication, "auditors");
	if (!OidIsValid(auditors) && is_made)
		verify_name_is_not_taken(publication, publication->private, psprintf("%s_auditors", publication->name));
	act_as(&caller, publication->owner);
	SPI_connect();
	if (!OidIsValid(auditors) && is_made)
	{
		auditors = make_relation(publication, publication->private, "_auditors", "VIEW",
								 psprintf("AS SELECT %s::pg_catalog.text AS publication", quote_literal_cstr(publication->name)));
		CreateComments(auditors, RelationRelationId, 0,
					   "roles that may read this view may audit the publication; see pprepub.grant_audit()");
		CommandCounterIncrement();
		note_relation(publication, auditors, "auditors");
	}
	if (OidIsValid(auditors))
		execute_own_ddl(psprintf(statement, quoted_relation(auditors), quote_identifier(GetUserNameFromId(role, false))));
	SPI_finish();
	act_as_before(&caller);
	*changed = publication;
	return role;
}

/* Figures of audits count the people of answers: an auditor who also asks could learn how many are in a cohort. */
static void
warn_of_asker(const DeclaredPublication *publication, Oid role)
{
	Oid			function = answer_function(publication);
	Oid			live = noted_relation(publication, "live");

	if (has_privs_of_role(role, publication->owner))
		return;
	if ((OidIsValid(function) && object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE) == ACLCHECK_OK) ||
		(OidIsValid(live) && pg_class_aclcheck(live, role, ACL_SELECT) == ACLCHECK_OK))
		warn_owner(publication, &(OwnerWarning) {
			.message = psprintf("role \"%s\" may also ask publication \"%s\" for answers", GetUserNameFromId(role, false), publication->name),
			.detail = "Figures of an audit count true people. An auditor who compares them before and after an answer of their own can learn how many of its rows are true.",
			.hint = "Let somebody audit who has no answers."
		});
}

Datum
pprepub_grant_audit(PG_FUNCTION_ARGS)
{
	const DeclaredPublication *publication;
	Oid			role;

	verify_may_change("grant_audit()");
	role = change_auditors(fcinfo, "GRANT SELECT ON TABLE %s TO %s", true, &publication);
	warn_of_asker(publication, role);
	PG_RETURN_VOID();
}

Datum
pprepub_revoke_audit(PG_FUNCTION_ARGS)
{
	const DeclaredPublication *publication;

	verify_may_change("revoke_audit()");
	(void) change_auditors(fcinfo, "REVOKE SELECT ON TABLE %s FROM %s CASCADE", false, &publication);
	PG_RETURN_VOID();
}

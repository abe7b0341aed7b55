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
#include "declare/gate.h"
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

/* ---- For auditors ---- */

/*
 * Raises an error in place of one that may tell a value of the source, if only in its context, or in its code, which a
 * source's own code may have chosen, five letters of a value: only what programs act on is told of one of the moment, and
 * nothing of others.
 */
static void
hide_error(MemoryContext context)
{
	ErrorData  *error;
	int			code;
	bool		was_moment;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	code = error->sqlerrcode;
	was_moment = is_transient(code);
	if (!was_moment)
		code = ERRCODE_EXTERNAL_ROUTINE_EXCEPTION;
	else if (code != ERRCODE_T_R_SERIALIZATION_FAILURE && code != ERRCODE_T_R_DEADLOCK_DETECTED &&
			 code != ERRCODE_QUERY_CANCELED && code != ERRCODE_LOCK_NOT_AVAILABLE)
		code = ERRCODE_TO_CATEGORY(code);
	ereport(ERROR,
			(errcode(code),
			 was_moment ? errmsg("the audit was interrupted") : errmsg("the publication cannot be audited as it is"),
			 was_moment ? errdetail("It was canceled, took too long or too much, or was in the way of others.")
			 : errdetail("An error that may tell a value of the source is shown to its owner only."),
			 was_moment ? errhint("Call the function again.") : errhint("Let its owner call the function.")));
}

#define CLIENT_CHECK_MS	1000

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
	ResourceOwner owner;
	CommandId	before = GetCurrentCommandId(false);
	bool		is_watched = client_connection_check_interval == 0 && MyProcPort != NULL && WaitEventSetCanReportClosed();
	Datum		result;

	PASS_TO_SHARDS(SHARDED_ROWS);
	owner = ResourceOwnerCreate(own.outer, "call of an auditor");

	/*
	 * From here on, a client that has gone ends its session: nobody reads what the function computes, which may take
	 * minutes.  PostgreSQL looks for that, if it is set so, which it is not by default.
	 */
	if (is_watched)
	{
		client_connection_check_interval = CLIENT_CHECK_MS;
		enable_timeout_after(CLIENT_CONNECTION_CHECK_TIMEOUT, CLIENT_CHECK_MS);
	}
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

	/*
	 * Unlocks all that was locked meanwhile: neither publishers nor the owner of a source shall wait for the end of
	 * the transaction of a reader.  Where code of a source has written, the locks stay, since others must not see what
	 * it wrote.
	 */
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_BEFORE_LOCKS, true, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_LOCKS, GetCurrentCommandId(false) != before, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_AFTER_LOCKS, true, false);
	ResourceOwnerDelete(owner);
	return result;
}

void
hide_data(void)
{
	call->hides_data = true;
}

/* ---- Reports ---- */

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

	PASS_TO_SHARDS(SHARDED_ROWS);
	report_open(&work, fcinfo);
	if (report_begin(&work, fcinfo))
	{
		put(&work);
		work_close(&work);
	}
	return (Datum) 0;
}

/* ---- grant_audit() and revoke_audit() ---- */

PG_FUNCTION_INFO_V1(pprepub_grant_audit);
PG_FUNCTION_INFO_V1(pprepub_revoke_audit);

/* Figures of audits count the people of answers: an auditor who also asks could learn how many are in a cohort. */
static void
warn_of_asker(const DeclaredPublication *publication, Oid role)
{
	Oid			function = answer_function(publication);
	Oid			live = noted_relation(publication, "live");

	if (!has_privs_of_role(role, publication->owner) &&
		((OidIsValid(function) && object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE) == ACLCHECK_OK) ||
		 (OidIsValid(live) && pg_class_aclcheck(live, role, ACL_SELECT) == ACLCHECK_OK)))
		warn_owner(publication, &(OwnerWarning) {
			.message = psprintf("role \"%s\" may also ask publication \"%s\" for answers", GetUserNameFromId(role, false), publication->name),
			.detail = "Figures of an audit count true people. An auditor who compares them before and after an answer of their own can learn how many of its rows are true.",
			.hint = "Let somebody audit who has no answers."
		});
}

/*
 * The right is PostgreSQL's own: to read a view that holds nothing, TARGET_private.NAME_auditors, made with the first grant.  So
 * DROP ROLE, DROP OWNED BY, pg_dump and pg_upgrade know of it, and no number of a role that is gone stands in a table of
 * ours, to be given to another one later.
 */
static void
change_auditors(FunctionCallInfo fcinfo, bool is_granted)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication;
	Oid			role;
	Oid			auditors;
	bool		is_made;
	Identity	caller;

	verify_not_null(fcinfo, 1, "the role");
	role = get_role_oid(NameStr(*PG_GETARG_NAME(1)), false);
	publication = publication_open(name, ExclusiveLock);
	auditors = noted_relation(publication, "auditors");
	is_made = !OidIsValid(auditors) && is_granted;
	if (is_made)
		verify_name_is_not_taken(publication, publication->private, psprintf("%s_auditors", publication->name));
	act_as(&caller, publication->owner);
	SPI_connect();
	if (is_made)
	{
		auditors = make_relation(publication, publication->private, "_auditors", "VIEW",
								 psprintf("AS SELECT %s::pg_catalog.text AS publication", quote_literal_cstr(publication->name)));
		CreateComments(auditors, RelationRelationId, 0,
					   "roles that may read this view may audit the publication; see pprepub.grant_audit()");
		CommandCounterIncrement();
		note_relation(publication, auditors, "auditors");
	}
	if (OidIsValid(auditors))
		execute_own_ddl(psprintf(is_granted ? "GRANT SELECT ON TABLE %s TO %s" : "REVOKE SELECT ON TABLE %s FROM %s CASCADE",
								 quoted_relation(auditors), quote_identifier(GetUserNameFromId(role, false))));
	SPI_finish();
	act_as_before(&caller);
	if (is_granted)
		warn_of_asker(publication, role);
}

Datum
pprepub_grant_audit(PG_FUNCTION_ARGS)
{
	PASS_TO_SHARDS(SHARDED_CHANGE);
	verify_may_change("grant_audit()");
	change_auditors(fcinfo, true);
	PG_RETURN_VOID();
}

Datum
pprepub_revoke_audit(PG_FUNCTION_ARGS)
{
	PASS_TO_SHARDS(SHARDED_CHANGE);
	verify_may_change("revoke_audit()");
	change_auditors(fcinfo, false);
	PG_RETURN_VOID();
}

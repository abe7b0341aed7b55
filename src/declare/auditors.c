/*
 * auditors.c
 *		grant_audit() and revoke_audit(): roles that may judge what is out, and see no
 *		data.
 *
 * NOTES
 *		The right is PostgreSQL's own: to read a view that holds nothing, TARGET_private.NAME_auditors, made with the
 *		first grant.  So DROP ROLE, DROP OWNED BY, pg_dump and pg_upgrade know of it, and no number of a role that is
 *		gone stands in a table of ours, to be given to another one later.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc_d.h"
#include "commands/comment.h"
#include "compat.h"
#include "declare/answer_function.h"
#include "declare/identity.h"
#include "declare/protection.h"
#include "declare/publication.h"
#include "declare/warn_owner.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(pprepub_grant_audit);
PG_FUNCTION_INFO_V1(pprepub_revoke_audit);

/* Makes the view; as the owner, inside SPI. */
static Oid
create_auditors(const DeclaredPublication *publication)
{
	const char *words = quoted_private(publication, "_auditors");
	Oid			view;

	execute_ddl(psprintf("CREATE VIEW %s AS SELECT %s::pg_catalog.text AS publication", words, quote_literal_cstr(publication->name)));
	view = get_relname_relid(psprintf("%s_auditors", publication->name), get_namespace_oid(publication->private, false));
	reset_rights(RelationRelationId, view, psprintf("TABLE %s", words));
	CreateComments(view, RelationRelationId, 0,
				   "roles that may read this view may audit the publication; see pprepub.grant_audit()");
	CommandCounterIncrement();
	return view;
}

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
		auditors = create_auditors(publication);
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

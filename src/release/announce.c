/*
 * announce.c
 *		A NOTIFY for each release that has a table.
 *
 * PRIVACY
 *		Every role may listen to every channel.  So a notification says what the
 *		name of the release's table tells everybody at the same moment, when it
 *		is committed, and whether it was imported; of answers nobody is told.
 *
 * NOTES
 *		It is handed over just before the commit: a transaction that has notified
 *		cannot be prepared, and a release can.  Of one that is committed by COMMIT
 *		PREPARED nobody is told.
 *
 *		Anybody can fill the server's queue of notifications, and a transaction
 *		that notifies then fails.  A release does without before that.
 */
#include "postgres.h"

#include "access/xact.h"
#include "commands/async.h"
#include "declare/warn_owner.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "release/release.h"
#include "utils/fmgroids.h"
#include "utils/json.h"
#include "utils/memutils.h"

#define CHANNEL "pprepub_release"

/* Filled further than this, the queue is left to others. */
#define FULL_QUEUE 0.9

/* A release that was made in this transaction. */
typedef struct Announcement
{
	SubTransactionId subtransaction;
	char	   *payload;
} Announcement;

static List *announcements = NIL;	/* in TopTransactionContext */

/* A release that is rolled back is forgotten; all that were made since the subtransaction began were made in it. */
static void
subtransaction_ends(SubXactEvent event, SubTransactionId mine, SubTransactionId parent, void *arg)
{
	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	while (announcements != NIL && ((Announcement *) llast(announcements))->subtransaction >= mine)
		announcements = list_delete_last(announcements);
}

/* Hands the notifications over where a commit is certain to follow, or an error; a preparation drops them. */
static void
transaction_ends(XactEvent event, void *arg)
{
	ListCell   *cell;

	if (event == XACT_EVENT_PRE_COMMIT)
		foreach(cell, announcements)
			Async_Notify(CHANNEL, ((Announcement *) lfirst(cell))->payload);
	announcements = NIL;
}

/* JSON, whatever the publication is called. */
static char *
payload_of(const DeclaredPublication *publication, int32 number, const char *kind)
{
	StringInfoData payload;

	initStringInfo(&payload);
	appendStringInfoString(&payload, "{\"publication\": ");
	escape_json(&payload, publication->name);
	appendStringInfo(&payload, ", \"number\": %d, \"kind\": \"%s\"}", number, kind);
	return payload.data;
}

void
announce_release(const DeclaredPublication *publication, int32 number, const char *kind)
{
	static bool is_registered = false;
	MemoryContext old;
	Announcement *announcement;

	if (DatumGetFloat8(OidFunctionCall0(F_PG_NOTIFICATION_QUEUE_USAGE)) > FULL_QUEUE)
	{
		warn_owner(publication, &(OwnerWarning) {
			.message = psprintf("nobody is notified of release %d of publication \"%s\"", number, publication->name),
			.detail = "The server's queue of notifications is nearly full.",
			.hint = "A session that listens has been in one transaction for too long: see pg_stat_activity.",
		});
		return;
	}
	if (!is_registered)
	{
		RegisterXactCallback(transaction_ends, NULL);
		RegisterSubXactCallback(subtransaction_ends, NULL);
		is_registered = true;
	}
	old = MemoryContextSwitchTo(TopTransactionContext);
	announcement = palloc(sizeof(Announcement));
	announcement->subtransaction = GetCurrentSubTransactionId();
	announcement->payload = payload_of(publication, number, kind);
	announcements = lappend(announcements, announcement);
	MemoryContextSwitchTo(old);
}

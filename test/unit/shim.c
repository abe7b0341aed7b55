/*
 * shim.c
 *		palloc, ereport and CHECK_FOR_INTERRUPTS without a server.
 *
 * Every chunk is a malloc of its own, so that the address sanitizer guards its
 * ends and notices its use after free.
 */
#include "shim.h"

#include "mb/pg_wchar.h"
#include "shared/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The two definitions below replace the server's, under the server's names. */
typedef struct Chunk
{
	struct Chunk *prev;
	struct Chunk *next;
	struct ShimContext *context;
	Size		size;
} Chunk;

typedef struct ShimContext
{
	struct ShimContext *parent;
	struct ShimContext *first_child;
	struct ShimContext *next_sibling;
	Chunk		chunks;			/* head of a ring */
} ShimContext;

uint64		shim_allocated = 0;
uint64		shim_allocated_peak = 0;
int			shim_noise = -1;
int			shim_sqlerrcode = 0;

MemoryContext CurrentMemoryContext = NULL;
MemoryContext TopMemoryContext = NULL;
volatile sig_atomic_t InterruptPending = false;
sigjmp_buf *PG_exception_stack = NULL;
pg_atomic_uint64 *progress_counter = NULL;
ErrorContextCallback *error_context_stack = NULL;

static sigjmp_buf *catcher = NULL;
static char message[1024];
static int	level;
static int	failures = 0;

static ShimContext *
shim(MemoryContext context)
{
	return (ShimContext *) context;
}

MemoryContext
AllocSetContextCreateInternal(MemoryContext parent, const char *name,
							  Size minContextSize, Size initBlockSize,
							  Size maxBlockSize)
{
	ShimContext *context = calloc(1, sizeof(ShimContext));

	context->chunks.prev = context->chunks.next = &context->chunks;
	context->parent = shim(parent);
	if (parent != NULL)
	{
		context->next_sibling = shim(parent)->first_child;
		shim(parent)->first_child = context;
	}
	return (MemoryContext) context;
}

static void *
chunk_create(ShimContext *context, Size size)
{
	Chunk	   *chunk = malloc(sizeof(Chunk) + size);

	if (chunk == NULL)
		abort();
	chunk->context = context;
	chunk->size = size;
	chunk->prev = &context->chunks;
	chunk->next = context->chunks.next;
	chunk->prev->next = chunk->next->prev = chunk;
	shim_allocated += size;
	shim_allocated_peak = Max(shim_allocated_peak, shim_allocated);
	if (shim_noise >= 0)
		memset(chunk + 1, shim_noise, size);
	return chunk + 1;
}

static void
chunk_free(Chunk *chunk)
{
	chunk->prev->next = chunk->next;
	chunk->next->prev = chunk->prev;
	shim_allocated -= chunk->size;
	free(chunk);
}

void
MemoryContextReset(MemoryContext context)
{
	while (shim(context)->first_child != NULL)
		MemoryContextDelete((MemoryContext) shim(context)->first_child);
	while (shim(context)->chunks.next != &shim(context)->chunks)
		chunk_free(shim(context)->chunks.next);
}

void
MemoryContextDelete(MemoryContext context)
{
	ShimContext *parent = shim(context)->parent;

	MemoryContextReset(context);
	if (parent != NULL)
	{
		ShimContext **link = &parent->first_child;

		while (*link != shim(context))
			link = &(*link)->next_sibling;
		*link = shim(context)->next_sibling;
	}
	free(context);
}

void *
MemoryContextAlloc(MemoryContext context, Size size)
{
	if (size > MaxAllocSize)
		abort();				/* the server would refuse */
	return chunk_create(shim(context), size);
}

void *
MemoryContextAllocHuge(MemoryContext context, Size size)
{
	return chunk_create(shim(context), size);
}

void *
MemoryContextAllocZero(MemoryContext context, Size size)
{
	return memset(MemoryContextAlloc(context, size), 0, size);
}

#if PG_VERSION_NUM < 170000
void *
MemoryContextAllocZeroAligned(MemoryContext context, Size size)
{
	return MemoryContextAllocZero(context, size);
}
#endif

void *
MemoryContextAllocExtended(MemoryContext context, Size size, int flags)
{
	void	   *result;

	if (size > MaxAllocSize && (flags & MCXT_ALLOC_HUGE) == 0)
		abort();
	result = chunk_create(shim(context), size);
	if (flags & MCXT_ALLOC_ZERO)
		memset(result, 0, size);
	return result;
}

void *
palloc(Size size)
{
	return MemoryContextAlloc(CurrentMemoryContext, size);
}

void *
palloc0(Size size)
{
	return MemoryContextAllocZero(CurrentMemoryContext, size);
}

void *
palloc_extended(Size size, int flags)
{
	return MemoryContextAllocExtended(CurrentMemoryContext, size, flags);
}

void
pfree(void *pointer)
{
	chunk_free((Chunk *) pointer - 1);
}

void *
repalloc_huge(void *pointer, Size size)
{
	Chunk	   *chunk = (Chunk *) pointer - 1;
	void	   *result = chunk_create(chunk->context, size);

	memcpy(result, pointer, Min(size, chunk->size));
	chunk_free(chunk);
	return result;
}

void *
repalloc(void *pointer, Size size)
{
	if (size > MaxAllocSize)
		abort();
	return repalloc_huge(pointer, size);
}

char *
pstrdup(const char *in)
{
	return strcpy(palloc(strlen(in) + 1), in);
}

void
ProcessInterrupts(void)
{
}

/* Nobody looks how far a test is. */
void
progress_phase(const char *phase, uint64 total)
{
}

/* The server's asks for the database's encoding: here it is UTF-8. */
int
pg_mblen(const char *text)
{
	return pg_utf_mblen((const unsigned char *) text);
}

/* Errors: the message is kept, and an error jumps to whoever expects one. */
bool
errstart(int elevel, const char *domain)
{
	level = elevel;
	return true;
}

bool
errstart_cold(int elevel, const char *domain)
{
	return errstart(elevel, domain);
}

int
errcode(int sqlerrcode)
{
	shim_sqlerrcode = sqlerrcode;
	return 0;
}

#define KEEP_MESSAGE(format) \
	do { \
		va_list args; \
		va_start(args, format); \
		vsnprintf(message, sizeof(message), format, args); \
		va_end(args); \
	} while (0)

int
errmsg(const char *format,...)
{
	KEEP_MESSAGE(format);
	return 0;
}

int
errmsg_internal(const char *format,...)
{
	KEEP_MESSAGE(format);
	return 0;
}

int
errdetail(const char *format,...)
{
	return 0;
}

int
errhint(const char *format,...)
{
	return 0;
}

void
errfinish(const char *filename, int lineno, const char *funcname)
{
	if (level < ERROR)
	{
		printf("# %s\n", message);
		return;
	}
	if (catcher == NULL)
	{
		printf("Bail out! unexpected error: %s (%s:%d)\n", message, filename, lineno);
		abort();
	}
	siglongjmp(*catcher, 1);
}

/* It has said which kind of error it is until 15. */
#if PG_VERSION_NUM >= 160000
void
ExceptionalCondition(const char *conditionName, const char *fileName, int lineNumber)
#else
void
ExceptionalCondition(const char *conditionName, const char *errorType, const char *fileName, int lineNumber)
#endif
{
	printf("Bail out! %s (%s:%d)\n", conditionName, fileName, lineNumber);
	abort();
}

const char *
error_of(TestFunction function)
{
	sigjmp_buf	here;
	const char *result = NULL;

	catcher = &here;
	if (sigsetjmp(here, 0) == 0)
		function();
	else
		result = message;
	catcher = NULL;
	return result;
}

void
check_at(bool condition, const char *text, const char *file, int line)
{
	if (condition)
		return;
	failures++;
	printf("# failed: %s (%s:%d)\n", text, file, line);
}

void
check_near_at(double a, double b, const char *text, const char *file, int line)
{
	if (fabs(a - b) <= 1e-9 * Max(1.0, fabs(b)))
		return;
	failures++;
	printf("# failed: %s: %.12g and %.12g (%s:%d)\n", text, a, b, file, line);
}

int
some_of(int n)
{
	const char *effort = getenv("PPREPUB_TEST_EFFORT");

	return effort != NULL && strcmp(effort, "full") == 0 ? n : Max(n / 10, 1);
}

uint32
any_below(uint32 n)
{
	static uint64 state = 1;

	state = state * UINT64CONST(6364136223846793005) + UINT64CONST(1442695040888963407);
	return (state >> 33) % n;
}

int
run_tests(const Test *tests, int ntests)
{
	int			failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	TopMemoryContext = AllocSetContextCreateInternal(NULL, "top", 0, 0, 0);
	printf("1..%d\n", ntests);
	for (int i = 0; i < ntests; i++)
	{
		CurrentMemoryContext = AllocSetContextCreateInternal(TopMemoryContext, "test", 0, 0, 0);
		failures = 0;
		tests[i].function();
		MemoryContextReset(TopMemoryContext);
		printf("%sok %d - %s\n", failures > 0 ? "not " : "", i + 1, tests[i].name);
		failed += failures > 0;
	}
	MemoryContextDelete(TopMemoryContext);
	return failed > 0;
}

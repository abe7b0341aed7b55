# pprepub: anonymous re-publication inside PostgreSQL
#
#   make, make install, make installcheck     as with every extension (PGXS)
#   make unit                                 the pure rooms, without a server; with SANITIZE=1, under sanitizers
#   make lint                                 cppcheck, floors, layout, comments, metadata, exports
#   make dist                                 PGXN's archive of what was committed
#   make format                               src as pg_bsd_indent lays it out, with typedefs.list
#
# test/run does all of it on a private server, in a temporary directory.

EXTENSION = pprepub
MODULE_big = pprepub
EXTVERSION := $(shell sed -n "s/^default_version = '\(.*\)'$$/\1/p" pprepub.control)

OBJS := $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c src/*/*/*.c src/*/*/*/*.c)))

# The install script: each room's SQL face, in this order.
SQL_ORDER = src/pprepub.sql \
	src/declare/declare.sql \
	src/frame/frame.sql \
	src/history/history.sql \
	src/release/release.sql \
	src/release/counts.sql \
	src/release/synthetic.sql \
	src/release/schedule.sql \
	src/answer/answer.sql \
	src/answer/noisy.sql \
	src/check/check.sql \
	src/import/import.sql \
	src/report/report.sql \
	src/report/linkability/linkability.sql \
	src/report/risks.sql \
	src/report/suggest.sql \
	src/report/page.sql \
	src/report/explore.sql \
	src/report/manifest.sql \
	src/method/plan.sql \
	$(sort $(wildcard src/method/*/sql/*.sql)) \
	src/store/store.sql \
	src/shards/shards.sql \
	src/shards/shown.sql \
	src/report/health.sql \
	src/shards/reports.sql \
	src/shards/changes.sql \
	src/rights.sql
SQL := $(wildcard $(SQL_ORDER))
SQL_FORGOTTEN := $(filter-out $(SQL_ORDER) src/upgrade/%,$(wildcard src/*.sql src/*/*.sql src/*/*/*.sql src/*/*/*/*.sql))
ifneq ($(SQL_FORGOTTEN),)
$(error SQL_ORDER in the Makefile does not say where $(SQL_FORGOTTEN) belongs)
endif
DATA := $(wildcard src/upgrade/*.sql)
DATA_built = $(EXTENSION)--$(EXTVERSION).sql

# Libraries are loaded into one space of names, and pg_cron, for one, has a cron_schedule(), too: the
# names that the server looks up are seen, and no others, so that nobody's calls go astray.
C_FUNCTIONS := $(shell sed -n "s/.*'MODULE_PATHNAME', '\([a-z0-9_]*\)'.*/\1/p" $(SQL) $(DATA))
EXPORTS_BESIDE = _PG_init Pg_magic_func pprepub_answer_worker
ifdef ASSERT
OBJS += test/modules/answer_here.o test/modules/starved.o
EXPORTS_BESIDE += pprepub_answer_here pg_finfo_pprepub_answer_here pprepub_starved pg_finfo_pprepub_starved
endif
SHLIB_EXPORTS = exports.txt

# "setup" makes the extension and roles, "cleanup" drops them; between them, in the order of their names.
REGRESS := setup $(filter-out setup cleanup,$(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))) cleanup
REGRESS_OPTS = --encoding=UTF8 --no-locale

# -MMD: which headers each object was made from (see the include below).
PG_CPPFLAGS = -I$(srcdir)/src -MMD -MP -DPPREPUB_VERSION='"$(EXTVERSION)"'
# make ASSERT=1: with assertions, and with the whole history checked after each release.
ifdef ASSERT
PG_CPPFLAGS += -DUSE_ASSERT_CHECKING=1
endif
# An argument that a callback's signature demands need not be used.
PG_CFLAGS = -Wall -Wextra -Wno-unused-parameter
EXTRA_CLEAN = build exports.txt $(OBJS:.o=.d)

# Bitcode would only serve to inline our functions into expressions.
override with_llvm = no

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
ifeq ($(PGXS),)
$(error $(PG_CONFIG) does not run: install PostgreSQL's server headers, or say make PG_CONFIG=/path/to/pg_config)
endif
include $(PGXS)

# Each major version has another inside, and we use much of it: src/compat.h has the differences.
ifeq ($(filter $(MAJORVERSION),15 16 17 18 19),)
$(error pprepub needs PostgreSQL 15 to 19, and $(PG_CONFIG) is of $(MAJORVERSION): say make PG_CONFIG=/path/to/pg_config of one that is)
endif

# Data that no encoding of ours helps is compressed with zstd, as PostgreSQL's own backups can be.
SHLIB_LINK += -lzstd

# We answer for our own warnings only, not for those of the server's headers.
override CPPFLAGS := $(patsubst -I$(includedir_server),-isystem $(includedir_server),$(CPPFLAGS))

# PostgreSQL was configured for gcc; clang does not know all of its flags, and minds casts that headers of 17 make.
ifneq ($(findstring clang,$(CC)),)
override CFLAGS += -Wno-unknown-warning-option -Wno-ignored-optimization-argument -Wno-cast-function-type-strict
endif

-include $(OBJS:.o=.d)

$(DATA_built): $(SQL) pprepub.control Makefile
	cat $(SQL) > $@

exports.txt: $(SQL) $(DATA) Makefile
	printf '%s\n' $(EXPORTS_BESIDE) $(C_FUNCTIONS) $(addprefix pg_finfo_,$(C_FUNCTIONS)) > $@

# ----------------------------------------------------------------
# PGXN's archive of what was committed: the same bytes whenever, and wherever, it is made.
# ----------------------------------------------------------------

dist:
	git archive --format=zip --prefix=$(EXTENSION)-$(EXTVERSION)/ -o $(EXTENSION)-$(EXTVERSION).zip HEAD
	@! packaging/address | grep -q '\.invalid$$' || echo "META.json has no real address yet: packaging/address sets one" >&2

# ----------------------------------------------------------------
# The manual: pictures from the figures of a run, and pages as a site in build/site.
# ----------------------------------------------------------------

pictures:
	test/run psql -q -f docs/pictures/data.sql | docs/pictures/draw -

docs:
	mkdocs build --quiet --strict

# ----------------------------------------------------------------
# Unit tests: each program is a test, the shim, and what it uses of the pure code, and of the peers that benches have;
# test/unit/objects finds that, so that a single test takes seconds to build.
# ----------------------------------------------------------------

PURE := $(sort $(wildcard src/noise/*.c src/partition/*.c src/partition/*/*.c src/method/*.c src/method/*/*.c src/audit/*.c src/audit/*/*.c src/store/encoding/*.c)) \
	src/shared/steps.c src/frame/domain.c src/frame/update_sets.c src/history/past.c src/history/places_after.c src/history/seen.c \
	src/release/forecast/after.c \
	src/frame/tuple_numbers.c src/store/layout.c

# Tests are linked from the objects of the server's build, which make ASSERT=1 gives assertions. make SANITIZE=1: from objects of
# their own, with assertions and sanitizers.
UNIT := build/unit
ifdef SANITIZE
UNIT := build/sanitized
PURE_OBJECTS := build/sanitized/
UNIT_SANITIZE = -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -DUSE_ASSERT_CHECKING=1
endif
UNIT_TESTS := $(patsubst test/unit/%.c,$(UNIT)/%,$(sort $(wildcard test/unit/test_*.c)))
UNIT_BESIDE := test/unit/groups.c test/unit/groups_worlds.c test/unit/columns.c test/unit/hostile.c test/unit/matches.c bench/distinct/greedy.c
UNIT_CC = gcc
UNIT_CFLAGS = -g -O1 -Wall -Wextra -Wno-unused-parameter $(UNIT_SANITIZE)
UNIT_CPPFLAGS = -Itest/unit -Ibench/distinct $(CPPFLAGS) -U_FORTIFY_SOURCE
UNIT_LIBS = $(firstword $(wildcard $(addsuffix /libpgcommon.a,$(pkglibdir) $(libdir)))) \
	$(firstword $(wildcard $(addsuffix /libpgport.a,$(pkglibdir) $(libdir)))) -lzstd -lm

unit: $(UNIT_TESTS)
	@for test in $^; do echo "# $$test"; $$test || exit 1; done

unit-programs: $(UNIT_TESTS)

$(UNIT_TESTS): $(UNIT)/%: $(UNIT)/test/unit/%.o $(UNIT)/test/unit/shim.o
	$(UNIT_CC) $(UNIT_CFLAGS) $^ $(UNIT_LIBS) -o $@

ifneq ($(filter unit unit-programs $(UNIT)/%,$(MAKECMDGOALS)),)
include $(UNIT)/objects.mk
endif

$(UNIT)/objects.mk: test/unit/objects $(PURE) $(UNIT_BESIDE) $(wildcard test/unit/test_*.c)
	@mkdir -p $(@D)
	perl test/unit/objects $(PURE) $(UNIT_BESIDE) $(wildcard test/unit/test_*.c) > $@

$(UNIT)/%.o: %.c
	@mkdir -p $(@D)
	$(UNIT_CC) $(UNIT_CFLAGS) $(UNIT_CPPFLAGS) -c $< -o $@

# Kept, though only a pattern names them; without a list, .SECONDARY would have make do without objects that are missing.
UNIT_OBJECTS := $(patsubst %.c,$(UNIT)/%.o,$(UNIT_BESIDE) $(wildcard test/unit/*.c)) $(if $(PURE_OBJECTS),$(patsubst %.c,$(PURE_OBJECTS)%.o,$(PURE)))
.SECONDARY: $(UNIT_OBJECTS)
-include $(UNIT_OBJECTS:.o=.d)

# ----------------------------------------------------------------
# Lint
# ----------------------------------------------------------------

# Which types there are, and so how pg_bsd_indent lays them out, depends on the version: 15 decides.
LINT = cppcheck floors size twice meta versions spot exports missing comments $(if $(filter 15,$(MAJORVERSION)),typedefs format prose site)

lint: $(addprefix lint-,$(LINT))

lint-names:
	@echo $(LINT)

lint-cppcheck:
	cppcheck --quiet --error-exitcode=1 --std=c99 --platform=unix64 --inline-suppr \
		--enable=warning,performance,portability --library=test/lint/postgres.cfg \
		--suppressions-list=test/lint/suppressions -Isrc src

lint-floors:
	perl test/lint/floors src

lint-size:
	perl test/lint/size src

# How large the house is, room by room, beside its budget.
loc:
	@perl test/lint/size --print src

lint-twice:
	perl test/lint/twice src

lint-prose:
	perl test/lint/prose $(wildcard *.md docs/*.md docs/*/*.md src/*.md src/*/README.md test/*/README.md monitoring/*.md packaging/*.md) \
		$(SQL_ORDER) $(patsubst %.o,%.c,$(OBJS))

# Every page is in the manual, and every link between pages leads somewhere.
lint-site: docs

lint-meta:
	perl test/lint/meta META.json

lint-versions:
	perl test/lint/versions META.json

lint-spot: $(DATA_built)
	perl test/lint/spot $^ $(DATA) monitoring/figures.sql

lint-exports: $(shlib) $(DATA_built)
	perl test/lint/exports $^ $(EXPORTS_BESIDE)

# An object that is missing is made again.
lint-missing: $(shlib)
	mv src/store/handler.o src/store/handler.o.away; $(MAKE) -q $(shlib); made=$$?; mv src/store/handler.o.away src/store/handler.o; test $$made = 1

lint-typedefs:
	PG_CONFIG=$(PG_CONFIG) perl test/lint/typedefs typedefs.list src

lint-format:
	perl test/lint/format typedefs.list src

lint-comments:
	perl test/lint/comments src

# The names of all types that src uses, and src as pg_bsd_indent lays it out.
typedefs:
	PG_CONFIG=$(PG_CONFIG) perl test/lint/typedefs --write typedefs.list src

format: typedefs
	perl test/lint/format --write typedefs.list src

.PHONY: dist pictures docs unit unit-programs loc lint lint-names $(patsubst %,lint-%,cppcheck floors size twice meta versions spot exports missing typedefs format comments prose site) typedefs format

# How the bench of match joins is built; run says how it is run.

JOINS_BENCH := build/bench/joins_bench
JOINS_SOURCES := $(sort $(wildcard bench/joins/*.c) $(wildcard src/audit/join/*.c)) src/frame/domain.c src/partition/wide.c test/unit/shim.c
JOINS_HEADERS := $(wildcard bench/joins/*.h test/unit/*.h src/audit/join/*.h src/frame/*.h)

$(JOINS_BENCH): $(JOINS_SOURCES) $(JOINS_HEADERS)
	@mkdir -p $(@D)
	$(CC) -O2 -g -Wall -Wextra -Wno-unused-parameter -isystem $(includedir_server) \
		-Isrc -Itest/unit -Ibench/joins $(JOINS_SOURCES) $(UNIT_LIBS) -o $@

bench-joins: $(JOINS_BENCH)
	$(JOINS_BENCH) $(PEOPLE)

.PHONY: bench-joins

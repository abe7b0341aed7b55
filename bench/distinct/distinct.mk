# How the part of the bench of method m-distinct that needs no server is built; run says how it is run.

FIGURES_BENCH := build/bench/figures_bench
FIGURES_SOURCES := $(sort $(wildcard bench/distinct/*.c src/method/m_distinct/*.c src/method/candidates/*.c src/partition/*.c)) \
	src/audit/update/graph.c src/frame/domain.c src/frame/updates.c bench/mondrian/input.c test/unit/shim.c
FIGURES_HEADERS := $(wildcard bench/distinct/*.h bench/mondrian/*.h test/unit/*.h src/*/*.h src/*/*/*.h)

$(FIGURES_BENCH): $(FIGURES_SOURCES) $(FIGURES_HEADERS)
	@mkdir -p $(@D)
	$(CC) -O2 -g -Wall -Wextra -Wno-unused-parameter -isystem $(includedir_server) \
		-Isrc -Itest/unit -Ibench/distinct -Ibench/mondrian $(FIGURES_SOURCES) $(UNIT_LIBS) -o $@

bench-distinct: $(FIGURES_BENCH)
	@$(FIGURES_BENCH) $(PEOPLE) $(RELEASES) $(QUERIES)

.PHONY: bench-distinct

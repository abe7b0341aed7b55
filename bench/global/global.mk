# How the part of the bench of method global that needs no server is built; run says how it is run.

GROW_BENCH := build/bench/grow_bench
GROW_SOURCES := bench/global/grow_bench.c bench/mondrian/synthetic.c bench/mondrian/invented.c bench/mondrian/input.c $(sort $(wildcard src/partition/*.c)) \
	src/frame/domain.c test/unit/shim.c
GROW_LIBS := $(firstword $(wildcard $(addsuffix /libpgcommon.a,$(pkglibdir) $(libdir)))) \
	$(firstword $(wildcard $(addsuffix /libpgport.a,$(pkglibdir) $(libdir)))) -lm

ROUNDS_BENCH := build/bench/rounds_bench
ROUNDS_SOURCES := bench/global/rounds_bench.c bench/mondrian/synthetic.c bench/mondrian/invented.c bench/mondrian/input.c \
	$(sort $(wildcard src/partition/*.c src/method/global/*.c)) src/audit/breach.c src/audit/judge.c src/audit/judge_breach.c \
	src/frame/domain.c src/history/statistics.c src/history/shown.c test/unit/shim.c

BENCH_CC = $(CC) -O2 -g -Wall -Wextra -Wno-unused-parameter -isystem $(includedir_server) -Isrc -Itest/unit -Ibench/mondrian

$(GROW_BENCH): $(GROW_SOURCES) $(wildcard bench/mondrian/*.h src/partition/*.h src/frame/*.h test/unit/*.h)
	@mkdir -p $(@D)
	$(BENCH_CC) $(GROW_SOURCES) $(GROW_LIBS) -o $@

$(ROUNDS_BENCH): $(ROUNDS_SOURCES) $(wildcard bench/mondrian/*.h src/*/*.h src/method/global/*.h test/unit/*.h)
	@mkdir -p $(@D)
	$(BENCH_CC) $(ROUNDS_SOURCES) $(GROW_LIBS) -o $@

# rows, ratio, percent of the values that are protected, percent of the rows that are only counted in
bench-global: $(GROW_BENCH)
	@for run in "200000 4" "200000 7.73" "200000 14" "200000 29.36" "200000 29.36 20" "200000 7.73 100 30" "20000 7.73" "20000 29.36 20"; do \
		echo "rows, ratio, percent protected, percent counted in: $$run"; $(GROW_BENCH) $$run; done

# rows, rounds, percent who stay and of values that change, percent of the rows that are protected, l, releases or alpha
bench-global-rounds: $(ROUNDS_BENCH)
	@for run in "10 2 20" "100 2 10" "100 2 5" "100 2 a3" "100 2 a2"; do \
		echo "percent protected, l, releases or alpha: $$run"; $(ROUNDS_BENCH) $(ROWS) 20 20 20 $$run; done

.PHONY: bench-global bench-global-rounds

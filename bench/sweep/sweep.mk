# How the sweep's bench is built; run says how it is run.

SWEEP_BENCH := build/bench/sweep_bench
SWEEP_SOURCES := $(sort $(wildcard bench/sweep/*.c) $(filter-out src/frame/tree.c,$(PURE))) test/unit/shim.c \
	bench/mondrian/synthetic.c bench/mondrian/input.c bench/mondrian/classic.c
SWEEP_HEADERS := $(wildcard bench/sweep/*.h bench/mondrian/*.h test/unit/*.h src/*/*.h)

$(SWEEP_BENCH): $(SWEEP_SOURCES) $(SWEEP_HEADERS)
	@mkdir -p $(@D)
	$(CC) -O2 -g -Wall -Wextra -Wno-unused-parameter -isystem $(includedir_server) \
		-Isrc -Itest/unit -Ibench/sweep -Ibench/mondrian $(SWEEP_SOURCES) $(UNIT_LIBS) -o $@

bench-sweep: $(SWEEP_BENCH)
	$(SWEEP_BENCH) $(SIZE)

.PHONY: bench-sweep

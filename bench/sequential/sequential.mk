# How the bench of sequential releases is built; run says how it is run.

SEQUENTIAL_BENCH := build/bench/sequential_bench
SEQUENTIAL_SOURCES := $(sort $(wildcard bench/sequential/*.c src/method/sequential/*.c src/audit/join/*.c)) \
	bench/mondrian/input.c bench/mondrian/invented.c src/frame/domain.c src/partition/wide.c test/unit/shim.c
SEQUENTIAL_LIBS := $(firstword $(wildcard $(addsuffix /libpgcommon.a,$(pkglibdir) $(libdir)))) \
	$(firstword $(wildcard $(addsuffix /libpgport.a,$(pkglibdir) $(libdir)))) -lm

$(SEQUENTIAL_BENCH): $(SEQUENTIAL_SOURCES) \
		$(wildcard bench/*/*.h src/method/*/*.h src/audit/join/*.h src/frame/*.h test/unit/*.h)
	@mkdir -p $(@D)
	$(CC) -O2 -g -Wall -Wextra -Wno-unused-parameter -isystem $(includedir_server) \
		-Isrc -Itest/unit -Ibench/mondrian $(SEQUENTIAL_SOURCES) $(SEQUENTIAL_LIBS) -o $@

bench-sequential: $(SEQUENTIAL_BENCH)
ifdef BENCH_DATA
	sh bench/sequential/adult_and_census $(SEQUENTIAL_BENCH) '$(BENCH_DATA)'
else
	$(SEQUENTIAL_BENCH)
endif

.PHONY: bench-sequential

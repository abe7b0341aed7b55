# How the Mondrian bench is built; run says how it is run.

MONDRIAN_BENCH := build/bench/mondrian_bench
MONDRIAN_SOURCES := $(sort $(wildcard bench/mondrian/*.c src/partition/*.c)) src/frame/domain.c test/unit/shim.c
MONDRIAN_LIBS := $(firstword $(wildcard $(addsuffix /libpgcommon.a,$(pkglibdir) $(libdir)))) \
	$(firstword $(wildcard $(addsuffix /libpgport.a,$(pkglibdir) $(libdir)))) -lm

$(MONDRIAN_BENCH): $(MONDRIAN_SOURCES) $(wildcard bench/mondrian/*.h src/partition/*.h src/frame/*.h test/unit/*.h)
	@mkdir -p $(@D)
	$(CC) -O2 -g -Wall -Wextra -Wno-unused-parameter -isystem $(includedir_server) \
		-Isrc -Itest/unit -Ibench/mondrian $(MONDRIAN_SOURCES) $(MONDRIAN_LIBS) -o $@

bench-mondrian: $(MONDRIAN_BENCH)
	$(MONDRIAN_BENCH) --k 10 --l 3 --synthetic 100000 --synthetic 600000 --synthetic 1200000
ifdef BENCH_DATA
	sh bench/mondrian/adult_and_census $(MONDRIAN_BENCH) '$(BENCH_DATA)'
endif

.PHONY: bench-mondrian

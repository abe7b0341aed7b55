# How the programs are built that benches have beside queries; each bench's run says how it is run.
#
#   make -s -f Makefile -f bench/bench.mk build/bench/NAME     the program whose main is in bench/*/NAME.c
#   make -s -f Makefile -f bench/bench.mk bench-programs       all of them
#
# They are compiled as the extension is. A program is its main, the shim, and what it uses of
# the pure code and of all that benches share.

BENCH_MAINS := $(sort $(wildcard bench/*/*_bench.c))
BENCH_PROGRAMS := $(patsubst %.c,build/bench/%,$(notdir $(BENCH_MAINS)))
BENCH_OBJS := $(patsubst %.c,build/bench/%.o,$(PURE) $(filter-out $(BENCH_MAINS),$(sort $(wildcard bench/*/*.c))))
BENCH_CPPFLAGS = -Itest/unit -Ibench/mondrian $(CPPFLAGS)

bench-programs: $(BENCH_PROGRAMS)

vpath %_bench.c $(sort $(dir $(BENCH_MAINS)))
$(BENCH_PROGRAMS): build/bench/%: build/bench/%.o build/bench/test/unit/shim.o build/bench/libbench.a
	$(CC) $(CFLAGS) $^ $(UNIT_LIBS) -o $@

build/bench/libbench.a: $(BENCH_OBJS)
	rm -f $@
	ar rcs $@ $^

build/bench/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BENCH_CPPFLAGS) -c $< -o $@

.PHONY: bench-programs
-include $(BENCH_PROGRAMS:=.d) build/bench/test/unit/shim.d $(BENCH_OBJS:.o=.d)

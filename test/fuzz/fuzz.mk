# Fuzzing with libFuzzer, which clang brings along:
#
#   make -f Makefile -f test/fuzz/fuzz.mk fuzz-encoding FUZZ_SECONDS=3600
#
# build/fuzz/columns keeps the inputs that were worth it for the next time.

FUZZ_SECONDS ?= 60
FUZZ_FLAGS = -g -O1 -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	-Wno-unknown-warning-option -DUSE_ASSERT_CHECKING=1
FUZZ_SOURCES := test/fuzz/encoding.c test/unit/hostile.c test/unit/columns.c test/unit/shim.c \
	$(sort $(wildcard src/store/encoding/*.c))

build/fuzz/encoding: $(FUZZ_SOURCES) $(wildcard test/unit/*.h src/store/encoding/*.h)
	@mkdir -p $(@D)
	clang $(FUZZ_FLAGS) -Itest/unit $(CPPFLAGS) -U_FORTIFY_SOURCE $(FUZZ_SOURCES) $(UNIT_LIBS) -o $@

build/fuzz/columns: build/fuzz/encoding
	mkdir -p $@
	ENCODING_SEEDS=$@ build/fuzz/encoding

fuzz-encoding: build/fuzz/encoding | build/fuzz/columns
	build/fuzz/encoding -max_total_time=$(FUZZ_SECONDS) -max_len=20000 -timeout=30 -print_final_stats=1 \
		-artifact_prefix=build/fuzz/ build/fuzz/columns

.PHONY: fuzz-encoding

# How the encodings' bench is built; run says how it is run.

ENCODING_BENCH := build/bench/encoding_bench
ENCODING_SOURCES := $(sort $(wildcard bench/encoding/*.c src/store/encoding/*.c src/partition/*.c)) src/frame/domain.c \
	bench/mondrian/synthetic.c bench/mondrian/invented.c bench/mondrian/input.c test/unit/shim.c
ENCODING_HEADERS := $(wildcard bench/encoding/*.h bench/mondrian/*.h test/unit/*.h src/*/*.h src/store/encoding/*.h)

$(ENCODING_BENCH): $(ENCODING_SOURCES) $(ENCODING_HEADERS)
	@mkdir -p $(@D)
	$(CC) -O2 -g -fno-strict-aliasing -fwrapv -Wall -Wextra -Wno-unused-parameter -isystem $(includedir_server) \
		-Isrc -Itest/unit -Ibench/encoding -Ibench/mondrian $(ENCODING_SOURCES) $(UNIT_LIBS) -o $@

bench-encoding: $(ENCODING_BENCH)
	$(ENCODING_BENCH)

.PHONY: bench-encoding

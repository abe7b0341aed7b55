# How the part of the bench of m-invariance and cor-split that asks queries is built; run says how it is run.

build/bench/boxes: bench/candidates/boxes.c
	@mkdir -p $(@D)
	$(CC) -O2 -g -Wall -Wextra -std=c99 $< -lm -o $@

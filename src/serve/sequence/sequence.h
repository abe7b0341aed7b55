/*
 * sequence.h
 *		A release of a method that judges it together with all before.
 */
#ifndef PPREPUB_SERVE_SEQUENCE_H
#define PPREPUB_SERVE_SEQUENCE_H

#include "postgres.h"

#include "frame/load.h"
#include "method/method.h"

/*
 * As the owner, inside SPI, under the active snapshot: reads all releases that are known whose
 * rows they have, has the method draft the next one, and has it judged once more, as
 * linkability() will.  Where nothing may be published that is an error.
 */
extern Draft *draft_in_sequence(const DeclaredPublication *publication, const LoadedFrame *loaded);

#endif							/* PPREPUB_SERVE_SEQUENCE_H */

/*
 * list.h
 *		The conditions on values: a line each.
 *
 * P(name, kind, type, least, most, strength): the kind (see kind.h), which a file of its own defines, and the
 * parameter that declares its strength.
 */
#ifndef PPREPUB_PARTITION_PRINCIPLE_LIST_H
#define PPREPUB_PARTITION_PRINCIPLE_LIST_H

#define PRINCIPLES(P) \
	P(frequency, frequency_principle, PARAM_DECIMAL, 1, 1000000, STRENGTH_MORE) \
	P(entropy, entropy_principle, PARAM_DECIMAL, 1, 1000000, STRENGTH_MORE) \
	P(recursive, recursive_principle, PARAM_INTEGER, 1, 1000000, STRENGTH_MORE) \
	P(t, t_principle, PARAM_DECIMAL, 0, 1, STRENGTH_LESS) \
	P(beta, beta_principle, PARAM_DECIMAL, 0, 1000000, STRENGTH_LESS) \
	P(delta, delta_principle, PARAM_DECIMAL, 0, 1000000, STRENGTH_LESS)

#endif							/* PPREPUB_PARTITION_PRINCIPLE_LIST_H */

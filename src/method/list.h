/*
 * list.h
 *		The methods: a line each.
 *
 * METHOD(name) is a method that needs nothing but a frame and the past: it defines
 * name_method (see method/method.h).  METHOD_WITH_SQL(name) reads the database, too:
 * it defines name_method and name_sql (see release/release.h).  This file has no
 * guard: what includes it defines the two macros, which are undefined at its end.
 */
METHOD(bpg)
METHOD_WITH_SQL(sequential)
METHOD_WITH_SQL(invariance)
METHOD_WITH_SQL(cor_split)
METHOD_WITH_SQL(m_distinct)
METHOD_WITH_SQL(global)

#undef METHOD
#undef METHOD_WITH_SQL

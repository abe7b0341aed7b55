/*
 * packed_setting.h
 *		What all portions share, as one piece of memory for other processes.
 */
#ifndef PPREPUB_RELEASE_CREW_PACKED_SETTING_H
#define PPREPUB_RELEASE_CREW_PACKED_SETTING_H

#include "partition/portions.h"

/* Writes a setting where there is room for it; NULL: just says how many bytes it takes. */
extern Size setting_pack(const PortionSetting *setting, char *room);

/* A setting whose arrays are in the packed one. */
extern PortionSetting *setting_unpack(char *packed);

#endif							/* PPREPUB_RELEASE_CREW_PACKED_SETTING_H */

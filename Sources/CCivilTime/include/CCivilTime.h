#ifndef CHIMED_CCIVILTIME_H
#define CHIMED_CCIVILTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define CIVIL_TIME_NOEXCEPT noexcept
#else
#define CIVIL_TIME_NOEXCEPT
#endif

/// The rules of one time zone. They are never freed: pointers stay valid, in any thread.
typedef struct CivilTimeRules CivilTimeRules;

/// A zone's local time at an instant.
typedef struct {
  int64_t days;           ///< Local date, in days since 1970-01-01.
  int32_t second_of_day;  ///< 0...86399.
  int32_t offset;         ///< Seconds east of UTC.
  bool is_dst;
} CivilTimeLocal;

typedef enum {
  CivilTimeUnique = 0,    ///< One instant: before, transition and after are equal.
  CivilTimeSkipped = 1,   ///< The zone's clocks jumped over this local time.
  CivilTimeRepeated = 2,  ///< The zone's clocks showed this local time twice.
} CivilTimeKind;

/// The instants of a local time, in seconds since the epoch.
typedef struct {
  CivilTimeKind kind;
  int64_t before;      ///< By the offset before the transition.
  int64_t transition;  ///< The transition itself.
  int64_t after;       ///< By the offset after the transition.
} CivilTimeInstants;

/// Parses the TZif `bytes` (RFC 8536) of the zone `name`; returns NULL if they are damaged. For the
/// same name and bytes it returns the same pointer, so that reading an unchanged database again
/// costs no memory. May wait for a lock, for milliseconds at most.
const CivilTimeRules *civil_time_rules(
    const char *name, const uint8_t *bytes, size_t count) CIVIL_TIME_NOEXCEPT;

/// Returns the local time at `seconds` since the epoch.
CivilTimeLocal civil_time_local(
    const CivilTimeRules *rules, int64_t seconds) CIVIL_TIME_NOEXCEPT;

/// Returns the abbreviation at `seconds` since the epoch, such as "CEST". It lives as long as the
/// rules.
const char *civil_time_abbreviation(
    const CivilTimeRules *rules, int64_t seconds) CIVIL_TIME_NOEXCEPT;

/// Returns the instants of the local time `second_of_day`, 0...86399, on the date `days` after
/// 1970-01-01.
CivilTimeInstants civil_time_instants(
    const CivilTimeRules *rules, int32_t days, int32_t second_of_day) CIVIL_TIME_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif

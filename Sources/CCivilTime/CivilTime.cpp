#include "CCivilTime.h"

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>
#include <cctz/zone_info_source.h>

#include "Spans.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

struct CivilTimeRules {
  cctz::time_zone zone;
  Spans spans;
};

namespace {

using Seconds = cctz::time_point<cctz::seconds>;

/// A ZoneInfoSource of bytes in memory.
class BytesSource : public cctz::ZoneInfoSource {
 public:
  explicit BytesSource(const std::string &bytes) : bytes_(bytes) {}

  std::size_t Read(void *destination, std::size_t size) override {
    const std::size_t count = std::min(size, bytes_.size() - position_);
    std::memcpy(destination, bytes_.data() + position_, count);
    position_ += count;
    return count;
  }

  int Skip(std::size_t count) override {
    if (count > bytes_.size() - position_) return -1;
    position_ += count;
    return 0;
  }

 private:
  const std::string &bytes_;
  std::size_t position_ = 0;
};

/// The bytes that this thread passes to cctz; cctz reads them through the factory on the same
/// thread.
thread_local const std::string *offered = nullptr;

std::unique_ptr<cctz::ZoneInfoSource> offered_source(
    const std::string &,
    const std::function<std::unique_ptr<cctz::ZoneInfoSource>(const std::string &)> &) {
  if (offered == nullptr) return nullptr;
  return std::make_unique<BytesSource>(*offered);
}

/// The bytes of a zone's file, and the rules parsed from them: null if the bytes are damaged.
struct Loaded {
  std::string bytes;
  const CivilTimeRules *rules;
};

/// All rules ever loaded. cctz keeps a zone forever under its name, even after a failed load. So
/// every distinct content gets its own name: a serial number, "!" and the zone's name. The prefix
/// also prevents cctz from interpreting names such as "UTC", "libc:localtime" or
/// "Fixed/UTC+01:00:00".
class Registry {
 public:
  const CivilTimeRules *rules(const std::string &name, std::string bytes) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto versions = loaded_.equal_range(name);
    for (auto version = versions.first; version != versions.second; ++version) {
      if (version->second.bytes == bytes) return version->second.rules;
    }
    cctz::time_zone zone;
    const CivilTimeRules *const rules =
        load(name, bytes, zone) ? new CivilTimeRules{zone, Spans(zone)} : nullptr;
    loaded_.emplace(name, Loaded{std::move(bytes), rules});
    return rules;
  }

 private:
  bool load(const std::string &name, const std::string &bytes, cctz::time_zone &zone) {
    const std::string unique = std::to_string(++serial_) + "!" + name;
    offered = &bytes;
    bool isLoaded = false;
    try {
      isLoaded = cctz::load_time_zone(unique, &zone);
    } catch (...) {
      isLoaded = false;
    }
    offered = nullptr;
    return isLoaded;
  }

  std::mutex mutex_;
  std::multimap<std::string, Loaded> loaded_;
  unsigned long serial_ = 0;
};

/// Returns the registry, which is never destroyed: other threads may still read its rules while
/// the process exits.
Registry &registry() {
  static Registry *const shared = new Registry;
  return *shared;
}

Seconds at(int64_t seconds) { return Seconds(cctz::seconds(seconds)); }

int64_t since_epoch(Seconds instant) { return instant.time_since_epoch().count(); }

CivilTimeLocal local(int64_t seconds, int32_t offset, bool is_dst) {
  const int64_t shifted = seconds + offset;
  int64_t days = shifted / 86400;
  int64_t second = shifted % 86400;
  if (second < 0) {
    days -= 1;
    second += 86400;
  }
  return {days, static_cast<int32_t>(second), offset, is_dst};
}

CivilTimeKind kind(cctz::time_zone::civil_lookup::civil_kind kind) {
  switch (kind) {
    case cctz::time_zone::civil_lookup::SKIPPED:
      return CivilTimeSkipped;
    case cctz::time_zone::civil_lookup::REPEATED:
      return CivilTimeRepeated;
    default:
      return CivilTimeUnique;
  }
}

}  // namespace

namespace cctz_extension {
/// Overrides the library's definition, which reads files by name.
ZoneInfoSourceFactory zone_info_source_factory = offered_source;
}  // namespace cctz_extension

const CivilTimeRules *civil_time_rules(
    const char *name, const uint8_t *bytes, size_t count) noexcept {
  try {
    return registry().rules(name, std::string(reinterpret_cast<const char *>(bytes), count));
  } catch (...) {
    return nullptr;
  }
}

CivilTimeLocal civil_time_local(const CivilTimeRules *rules, int64_t seconds) noexcept {
  const Spans::Span *const span = rules->spans.at_instant(seconds);
  if (span != nullptr) return local(seconds, span->offset, span->is_dst);
  const auto found = rules->zone.lookup(at(seconds));
  return local(seconds, found.offset, found.is_dst);
}

const char *civil_time_abbreviation(const CivilTimeRules *rules, int64_t seconds) noexcept {
  return rules->zone.lookup(at(seconds)).abbr;
}

CivilTimeInstants civil_time_instants(
    const CivilTimeRules *rules, int32_t days, int32_t second_of_day) noexcept {
  const auto instant = rules->spans.instant(int64_t{days} * 86400 + second_of_day);
  if (instant) return {CivilTimeUnique, *instant, *instant, *instant};
  const cctz::civil_day date = cctz::civil_day(1970, 1, 1) + days;
  const auto found = rules->zone.lookup(cctz::civil_second(date) + second_of_day);
  return {kind(found.kind), since_epoch(found.pre), since_epoch(found.trans),
          since_epoch(found.post)};
}

#pragma once

#include <cctz/time_zone.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

/// The spans from 1900 to 2100 in which a zone's offset and daylight flag are constant.
///
/// A look-up in cctz computes a whole date. Most callers need only the offset, and nearly always in
/// the same span as the previous caller.
class Spans {
 public:
  /// A span, which ends where the next one starts. `start` and `offset` are in seconds. The last
  /// element is no span: its start is the end of the last span.
  struct Span {
    int64_t start;
    int32_t offset;
    bool is_dst;
  };

  explicit Spans(const cctz::time_zone &zone) {
    for (Seconds start = at(first); start < at(end); start = next(zone, start)) {
      const auto found = zone.lookup(start);
      spans_.push_back({start.time_since_epoch().count(), found.offset, found.is_dst});
    }
    spans_.push_back({end, 0, false});
  }

  /// Returns the span that contains an instant; null before 1900 and after 2099.
  const Span *at_instant(int64_t seconds) const {
    if (seconds < first || seconds >= end) return nullptr;
    const uint32_t recent = recent_.load(std::memory_order_relaxed);
    if (contains(recent, seconds)) return &spans_[recent];
    const auto after = std::upper_bound(
        spans_.begin(), spans_.end(), seconds,
        [](int64_t instant, const Span &span) { return instant < span.start; });
    const auto index = static_cast<uint32_t>(after - spans_.begin() - 1);
    recent_.store(index, std::memory_order_relaxed);
    return &spans_[index];
  }

  /// Returns the only instant of a local time that is far from every clock change. Returns an empty
  /// value for a time near a clock change or outside the spans.
  std::optional<int64_t> instant(int64_t local) const {
    const Span *guess = at_instant(local);
    if (guess == nullptr) return std::nullopt;
    const int64_t seconds = local - guess->offset;
    const bool is_far = seconds >= guess->start + margin && seconds + margin < guess[1].start;
    return is_far ? std::optional(seconds) : std::nullopt;
  }

 private:
  using Seconds = cctz::time_point<cctz::seconds>;

  /// 1900-01-01 and 2100-01-01, in seconds since the epoch.
  static constexpr int64_t first = -2208988800;
  static constexpr int64_t end = 4102444800;
  /// A margin in seconds. It is larger than any difference of two offsets, because each offset is
  /// less than a day.
  static constexpr int64_t margin = 2 * 86400;

  static Seconds at(int64_t seconds) { return Seconds(cctz::seconds(seconds)); }

  static Seconds next(const cctz::time_zone &zone, Seconds start) {
    cctz::time_zone::civil_transition change;
    if (!zone.next_transition(start, &change)) return at(end);
    return zone.lookup(change.to).trans;
  }

  bool contains(uint32_t index, int64_t seconds) const {
    return spans_[index].start <= seconds && seconds < spans_[index + 1].start;
  }

  std::vector<Span> spans_;
  /// The index of the span that was returned last.
  mutable std::atomic<uint32_t> recent_{0};
};

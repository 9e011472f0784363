package import CivilTime

/// When a fact became true, and which of two at the same millisecond was reported later.
///
/// Facts are folded by stamp (rule E1), so their arrival order matters only as the tie-breaker: an
/// app that sends two without a time in one batch means the second to win.
package struct Stamp: Hashable, Comparable, Sendable {
  package let time: Instant
  /// The event's place in the order of arrival.
  package let order: Int64

  package init(time: Instant, order: Int64) {
    self.time = time
    self.order = order
  }

  package static func < (left: Stamp, right: Stamp) -> Bool {
    left.time == right.time ? left.order < right.order : left.time < right.time
  }
}

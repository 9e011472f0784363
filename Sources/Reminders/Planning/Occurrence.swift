package import CivilTime

/// One planned instant of a reminder for a recipient.
///
/// Its identity is (recipient, reminder, key), never its instant: a changed zone, a clock that
/// steps or a restart moves the instant but cannot make a second occurrence of it.
package struct Occurrence: Hashable, Sendable {
  /// What it is an occurrence of: the local date's day number (of several times a day, the number
  /// of the minute), the number that was reached, the millisecond of the event that triggered it,
  /// the place of its request in the order of arrival, or the hash of the thing that it is about,
  /// told apart from others by comparison.
  package var key: Int64
  package var planned: Instant
  /// The number that its message speaks of.
  package var number: Int64?
  /// The event that it follows, if any.
  package var cause: Stamp?
  /// The item of the facts that it is about, if any.
  package var item: Int?
  /// When what it announces begins: it is never said then or later (rule V10).
  package var deadline: Instant?

  /// The key that a code of 64 bits gives.
  static func key(_ code: UInt64) -> Int64 { Int64(code >> 1) }
}

package import CivilTime

/// The slots of a person's day that are kept for what is more urgent than one occurrence and known
/// to come (rule V5); as it is at one instant.
package struct KeptSlots: Hashable, Sendable {
  /// The instant that they hold for; of others nothing is known.
  package let instant: Instant
  /// How many slots of the day's cap are kept.
  let count: Int
  /// The first that has its interval kept.
  let next: Instant?
  /// The first occurrence that waits for its turn.
  package let beneficiary: Beneficiary

  /// What a slot is kept for.
  package struct Beneficiary: Hashable, Sendable {
    package var reminder: Symbol
    package var key: Int64
    /// When it goes but for interval and cap.
    package var at: Instant
  }

  func count(at instant: Instant) -> Int { instant == self.instant ? count : 0 }
  func next(at instant: Instant) -> Instant? { instant == self.instant ? next : nil }
}

package import CivilTime

/// The capacity of a recipient's day that is reserved for known occurrences later on that day (rule
/// V12): for more urgent ones, and for equally urgent ones that a gate already holds. The
/// reservations are valid for one instant.
package struct CapReservations: Hashable, Sendable {
  /// The only instant for which the reservations are valid.
  package let instant: Instant
  /// The number of reserved deliveries of the daily cap.
  let count: Int
  /// The instant of the first occurrence whose minimum interval is reserved; nil if there is none.
  let next: Instant?
  /// The first occurrence with a reservation.
  package let beneficiary: Beneficiary

  /// An occurrence with a reservation.
  package struct Beneficiary: Hashable, Sendable {
    package var reminder: Symbol
    /// The key of the occurrence among those of its reminder.
    package var key: Int64
    /// The instant at which the occurrence would be sent without minimum interval and cap.
    package var at: Instant
  }

  func count(at instant: Instant) -> Int { instant == self.instant ? count : 0 }
  func next(at instant: Instant) -> Instant? { instant == self.instant ? next : nil }
}

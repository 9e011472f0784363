package import CivilTime

/// The service at a glance.
package struct ServiceStatus: Sendable {
  /// One sink's lane.
  package struct Lane: Sendable {
    package var sink: String
    /// Decided and recorded, not yet handed to the sink.
    package var waiting: Int
    /// Handed over one by one after a failed attempt.
    package var retrying: Int
    /// What the sink said when it last failed, while it fails.
    package var failure: String?
  }

  /// What is due next, and for how many recipients at that instant.
  package struct Next: Sendable {
    package var reminder: String
    package var recipients: Int
    package var at: Instant
  }

  package var now: Instant
  package var started: Instant
  package var recipients: Int
  package var pending: Int
  package var next: Next?
  package var lanes: [Lane]
  package var catalogs: [String]
  package var zoneDatabase: String
  package var defaultZone: String
  /// How many recipients are due and have not had their turn.
  package var due = 0
  /// How many deliveries are attempted no more.
  package var deadLetters = 0
  /// Why nothing can be written at present; nil while it can.
  package var storageFailure: String?
  /// What was recorded last, while the clock is behind that and nothing fires.
  package var clockHold: Instant?
}

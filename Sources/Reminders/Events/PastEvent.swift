package import CivilTime

/// An event as it is kept.
package struct PastEvent: Sendable {
  package var identifier: String
  package var source: String
  package var type: String
  package var time: Instant
  /// When it was taken in.
  package var received: Instant
  /// Canonical JSON, or empty.
  package var data: [UInt8]

  package init(
    identifier: String, source: String, type: String, time: Instant, received: Instant,
    data: [UInt8]
  ) {
    self.identifier = identifier
    self.source = source
    self.type = type
    self.time = time
    self.received = received
    self.data = data
  }
}

package import CivilTime
package import Reminders

/// The adaptor that carries deliveries to where people see them.
///
/// A sink may block or suspend as long as it likes: each has a lane of its own.
package protocol Sink: Sendable {
  /// What it is called in the configuration, the journal and the store.
  var name: String { get }

  /// Hands deliveries over, in order.
  ///
  /// - Returns: an answer for each, in order.
  /// - Throws: that nothing can be handed over now; the lane keeps them all and asks again later.
  func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer]
}

/// What a sink says to one delivery (rule D2).
package enum SinkAnswer: Hashable, Sendable {
  case delivered
  /// Not now; after so long if the sink knows.
  case retry(after: TimeSpan?, reason: String)
  /// Never.
  case rejected(reason: String)
}

/// A sink that cannot take anything now, for the person who runs the service.
package struct SinkOutage: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

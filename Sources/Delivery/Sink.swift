package import Reminders

/// The adaptor that carries deliveries to where people see them.
///
/// A sink may block or suspend as long as it likes: each has a lane of its own (rule D3).
package protocol Sink: Sendable {
  /// What it is called in the configuration, the journal and the store.
  var name: String { get }

  /// How many deliveries are with it at once at most: what a crash in between repeats, with the
  /// same identifiers (rule D1).
  var window: Int { get }

  /// Whether deliveries have to say where and how to reach the person.
  var needsAddressee: Bool { get }

  /// The longest that it takes to answer for a batch, by deadlines of its own: one that takes
  /// longer hangs, and the service is restarted for it. Nil for a sink that waits for something
  /// outside without a deadline, which a restart would not make any faster.
  var patience: Duration? { get }

  /// Why it sends nothing any more until the service is started again, and what to do, for the
  /// person who runs the service; nil while it does. It goes on to answer, with rejections.
  var whyDisabled: String? { get }

  /// Hands deliveries over, in order.
  ///
  /// - Returns: an answer for each, in order.
  /// - Throws: that nothing can be handed over now; the lane keeps them all and asks again later.
  func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer]

  /// Opens again what it keeps open by name: the service was told to read everything again.
  ///
  /// - Throws: why that cannot be, for the person who runs the service; what was open stays in use.
  func reload() throws

  /// Ends what it has started, with time to finish: nothing is handed over any more. A sink that
  /// is let go of without ends it all the same, at once.
  func stop() async
}

extension Sink {
  package var window: Int { 32_768 }
  package var needsAddressee: Bool { false }
  package var patience: Duration? { nil }
  package var whyDisabled: String? { nil }

  package func reload() throws {}
  package func stop() async {}
}

/// A sink that cannot take anything now, for the person who runs the service.
package struct SinkOutage: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

import Outbox
import Reminders
import Sinks

/// The other side of a sink: a test server, a file or a program, behind one interface for the
/// conformance suite.
protocol SinkPeer: AnyObject {
  /// Credentials of the service for this peer, by name.
  var credentials: [String: String] { get }

  /// Texts that must appear neither in logs nor in answers.
  var secrets: [String] { get }

  /// Adds the addressee that this peer needs.
  func addressed(_ delivery: Delivery) -> Delivery

  /// Creates a sink for this peer.
  func sink(_ common: SinkCommonSettings, in surroundings: SinkEnvironment) async throws
    -> any Sink

  /// The arrived deliveries, in order of arrival.
  func received() async throws -> [Arrival]

  /// The text that the peer should receive.
  func text(of delivery: Delivery) -> String

  /// Stops the peer, so that deliveries fail. Only cases with `.disconnects` support this.
  func disconnect() async throws

  /// Starts the peer again after `disconnect`.
  func reconnect() async throws

  /// Makes the peer accept deliveries without an answer. Only cases with `.stalls` support this.
  func stall() async throws

  /// Makes the peer reject a delivery for good. Only cases with `.refuses` support this.
  func refuse(_ identifier: String) async throws
}

/// A delivery as seen by a peer.
struct Arrival: Hashable {
  var identifier: String
  var text: String
}

extension SinkPeer {
  var credentials: [String: String] { [:] }
  var secrets: [String] { Array(credentials.values) }

  func addressed(_ delivery: Delivery) -> Delivery { delivery }

  func text(of delivery: Delivery) -> String { delivery.title + "\n" + delivery.body }

  func disconnect() async throws { throw SinkCase.MissingAbility.disconnecting }
  func reconnect() async throws { throw SinkCase.MissingAbility.disconnecting }
  func stall() async throws { throw SinkCase.MissingAbility.stalling }
  func refuse(_ identifier: String) async throws { throw SinkCase.MissingAbility.refusing }
}

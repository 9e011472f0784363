import Outbox
import Reminders
import Sinks

/// The other side of a sink: what a test server, a file or a program looks like to the suite that
/// every sink has to pass.
protocol SinkPeer: AnyObject {
  /// What the service is given to be let in, by the names of its credentials.
  var credentials: [String: String] { get }

  /// Words that only the sink and its peer may know.
  var secrets: [String] { get }

  /// A delivery with what this peer needs to know of whom it is for.
  func addressed(_ delivery: Delivery) -> Delivery

  /// A sink that speaks to this peer.
  func sink(_ common: SinkCommonSettings, in surroundings: SinkSurroundings) async throws
    -> any Sink

  /// What has arrived so far, in the order in which it did.
  func received() async throws -> [Arrival]

  /// What the peer is to be told of a delivery.
  func text(of delivery: Delivery) -> String

  /// Goes, so that nothing can be handed over. For cases that say `.leaves`.
  func leave() async throws
  func comeBack() async throws

  /// Takes what it is handed and says nothing to it. For cases that say `.stalls`.
  func stall() async throws

  /// Says no to the delivery of this identifier, for good. For cases that say `.refuses`.
  func refuse(_ identifier: String) async throws
}

/// What a peer has seen of a delivery.
struct Arrival: Hashable {
  var identifier: String
  var text: String
}

extension SinkPeer {
  var credentials: [String: String] { [:] }
  var secrets: [String] { Array(credentials.values) }

  func addressed(_ delivery: Delivery) -> Delivery { delivery }

  func text(of delivery: Delivery) -> String { delivery.title + "\n" + delivery.body }

  func leave() async throws { throw SinkCase.Missing.leaving }
  func comeBack() async throws { throw SinkCase.Missing.leaving }
  func stall() async throws { throw SinkCase.Missing.stalling }
  func refuse(_ identifier: String) async throws { throw SinkCase.Missing.refusing }
}

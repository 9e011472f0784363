import DeliverySamples
import Outbox
import Reminders
import Sinks

/// A hostile mail server. Its protocol has no redirects.
final class HostileMailServer: HostilePeer {
  let serverFaults = ServerFault.allCases.filter { $0 != .redirect }
  private let peer: SMTPPeer
  private let tlsPeer: SMTPPeer

  init() throws {
    peer = try SMTPPeer()
    tlsPeer = try SMTPPeer(try TestCertificate.localhost.get().arguments)
  }

  func sink(deadline: String) throws -> any Sink {
    try SMTPFixtures.sink(
      "smtp://127.0.0.1:\(peer.port)", ["deadline: \(deadline)", "concurrency: 8"])
  }

  func distrustingSink() throws -> any Sink {
    try SMTPFixtures.sink("smtp://localhost:\(tlsPeer.port)", ["tls: required"])
  }

  func sink(to silent: SilentServer) throws -> any Sink {
    try SMTPFixtures.sink("smtps://localhost:\(silent.port)", ["tls: required", "deadline: 500ms"])
  }

  func delivery(_ number: Int64, meeting fault: ServerFault?) -> Delivery {
    SMTPFixtures.delivery(number, to: Self.name(fault) + "@example.com")
  }

  private static func name(_ fault: ServerFault?) -> String {
    switch fault {
    case nil, .redirect: "amina"
    case .stall: "stalled"
    case .drip: "dripping"
    case .endless: "endless"
    case .reset: "dropped"
    case .late: "late"
    }
  }

  var receivedCount: Int { get throws { try peer.received.count + tlsPeer.received.count } }
}

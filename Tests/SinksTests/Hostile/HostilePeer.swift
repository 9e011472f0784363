import Outbox
import Reminders
import Sinks

/// The possible faults of a server, by accident or on purpose.
enum ServerFault: CaseIterable {
  /// Accepts the delivery and never answers.
  case stall
  /// Answers one byte a second.
  case drip
  /// Answers without end.
  case endless
  /// Breaks the connection or its stream in the middle.
  case reset
  /// Accepts the delivery after the deadline.
  case late
  /// Redirects to an address of this machine's own network.
  case redirect
}

/// The other side of a sink, with a given fault for each delivery.
protocol HostilePeer: AnyObject {
  /// The faults that the server's protocol allows.
  var serverFaults: [ServerFault] { get }

  /// The faults with which a delivery is still accepted, because the head of the answer decides,
  /// not the body.
  var acceptedFaults: Set<ServerFault> { get }

  /// - Parameter deadline: the deadline, as written in the configuration.
  func sink(deadline: String) throws -> any Sink

  /// - Parameter fault: the fault of this delivery; nil to accept the delivery.
  func delivery(_ number: Int64, meeting fault: ServerFault?) async throws -> Delivery

  /// A sink that must not trust this server, because its certificate has no trusted authority.
  func distrustingSink() throws -> any Sink

  /// A sink whose server accepts connections and never answers.
  func sink(to silent: SilentServer) throws -> any Sink

  /// The number of deliveries received so far.
  var receivedCount: Int { get async throws }
}

extension HostilePeer {
  var acceptedFaults: Set<ServerFault> { [] }
}

/// A type of sink that connects to a server, with a hostile server.
struct HostileCase: Sendable, CustomStringConvertible {
  let description: String
  let peer: @Sendable () async throws -> any HostilePeer

  static let all: [HostileCase] =
    web + (PushPeer.isAvailable ? push : []) + (SMTPPeer.isAvailable ? mail : [])

  private static let web = [
    HostileCase(description: "http") { try HostileWebServer(.http) },
    HostileCase(description: "ntfy") { try HostileWebServer(.ntfy) },
    HostileCase(description: "webhook") { try HostileWebServer(.webhook) },
  ]
  private static let push = [
    HostileCase(description: "apns") { try await HostilePushService(.apns) },
    HostileCase(description: "fcm") { try await HostilePushService(.fcm) },
  ]
  private static let mail = [
    HostileCase(description: "smtp") { try HostileMailServer() }
  ]
}

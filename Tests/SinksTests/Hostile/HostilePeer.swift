import Outbox
import Reminders
import Sinks

/// What the other side may do to a delivery, by accident or on purpose.
enum Mischief: CaseIterable {
  /// It takes it and says nothing.
  case stall
  /// It answers with a byte a second.
  case drip
  /// Its answer has no end.
  case endless
  /// It breaks the connection, or the stream on it, in the middle.
  case reset
  /// It accepts it after the deadline.
  case late
  /// It sends us to an address of this machine's own network.
  case redirect
}

/// The other side of a sink, which does to each delivery what it is told to.
protocol HostilePeer: AnyObject {
  /// What its protocol lets it do.
  var mischiefs: [Mischief] { get }

  /// Of which it gets an answer all the same: where the head of one decides, not the body.
  var accepted: Set<Mischief> { get }

  /// - Parameter deadline: as the configuration writes it.
  func sink(deadline: String) throws -> any Sink

  /// - Parameter mischief: what happens to it; it is accepted if nil.
  func delivery(_ number: Int64, meeting mischief: Mischief?) async throws -> Delivery

  /// A sink that must not trust a server of this kind, for want of the right certificate.
  func distrustingSink() throws -> any Sink

  /// A sink whose server accepts connections and says nothing at all.
  func sink(to silent: SilentServer) throws -> any Sink

  /// How many deliveries have come so far.
  var count: Int { get async throws }
}

extension HostilePeer {
  var accepted: Set<Mischief> { [] }
}

/// A type of sink that speaks to a server, with one that means it ill.
struct HostileCase: Sendable, CustomStringConvertible {
  let description: String
  let peer: @Sendable () async throws -> any HostilePeer

  static let all: [HostileCase] =
    web + (PushPeer.isThere ? push : []) + (SMTPPeer.isAvailable ? mail : [])

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

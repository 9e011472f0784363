import Testing

/// A type of sink with a well-behaved peer, for the conformance suite.
struct SinkCase: Sendable, CustomTestStringConvertible {
  /// Abilities of the peer, and additional promises of the sink.
  enum Trait {
    /// The peer can be absent and return. An open file and the journal lack this trait, because
    /// their sinks wait for no answer.
    case disconnects
    /// The peer can be silent. An open file and the journal lack this trait, because their sinks
    /// wait for no answer.
    case stalls
    /// The peer can reject one of several deliveries. An open file and the journal accept every
    /// text.
    case refuses
    /// The sink sends one delivery after another, in order. Other sinks have several deliveries in
    /// flight, so their deliveries may arrive in any order.
    case ordered
  }

  /// The error of a peer that lacks an ability.
  enum MissingAbility: Error { case disconnecting, stalling, refusing }

  let name: String
  let traits: Set<Trait>
  let peer: @Sendable () async throws -> any SinkPeer

  init(
    _ name: String, _ traits: Set<Trait> = [],
    peer: @escaping @Sendable () async throws -> any SinkPeer
  ) {
    self.name = name
    self.traits = traits
    self.peer = peer
  }

  var testDescription: String { name }

  /// Every sink except `stream`. The transaction of the decision puts its deliveries on
  /// recipients' streams before the sink is called, so nothing arrives through the sink.
  static let all: [SinkCase] =
    local + (PushPeer.isAvailable ? push : []) + (SMTPPeer.isAvailable ? mail : [])
    + (WebPushStage.isAvailable ? browsers : [])

  /// Whether the peers of all sinks can run here.
  static let isComplete = PushPeer.isAvailable && SMTPPeer.isAvailable && WebPushStage.isAvailable

  private static let push = [
    SinkCase("apns", [.disconnects, .stalls, .refuses]) { try await PushServicePeer(.apns) },
    SinkCase("fcm", [.disconnects, .stalls, .refuses]) { try await PushServicePeer(.fcm) },
  ]

  private static let mail = [
    SinkCase("smtp", [.disconnects, .stalls, .refuses]) { try MailPeer() }
  ]

  /// Web push has no single service that could be absent, because every browser has its own.
  private static let browsers = [
    SinkCase("webpush", [.stalls, .refuses]) { try WebPushPeer() }
  ]

  private static let local: [SinkCase] = [
    SinkCase("desktop", [.disconnects, .stalls, .refuses, .ordered]) { try DesktopPeer() },
    SinkCase("exec", [.disconnects, .stalls, .refuses]) { try ExecPeer() },
    SinkCase("http", [.disconnects, .stalls, .refuses]) { try HTTPSinkPeer() },
    SinkCase("journal", [.ordered]) { try JournalPeer() },
    SinkCase("jsonl", [.ordered]) { try JSONLinesPeer() },
    SinkCase("ntfy", [.disconnects, .stalls, .refuses]) { try NtfyPeer() },
    SinkCase("pipe", [.disconnects, .stalls, .refuses, .ordered]) { try PipePeer() },
    SinkCase("webhook", [.disconnects, .stalls, .refuses]) { try WebhookPeer() },
  ]

  static func all(with trait: Trait) -> [SinkCase] {
    all.filter { $0.traits.contains(trait) }
  }
}

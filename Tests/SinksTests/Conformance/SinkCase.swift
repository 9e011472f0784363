import Testing

/// A type of sink with a peer that behaves well, for the suite that every sink has to pass.
struct SinkCase: Sendable, CustomTestStringConvertible {
  /// What the peer can do beside taking deliveries, and what the sink promises beyond the rest.
  enum Trait {
    /// It can be gone and come back. A file that is open cannot, nor can the journal, to which
    /// nothing is sent that has to be answered.
    case leaves
    /// It can be silent: all but those two are waited for.
    case stalls
    /// It can say no to one of many: those two take every text.
    case refuses
    /// The sink hands over one after the other, in order. The rest have several under way at once,
    /// and who is the first to answer is not theirs to say.
    case ordered
  }

  enum Missing: Error { case leaving, stalling, refusing }

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

  /// Every sink there is, a line each, but for `stream`: what it answers for was put on people's
  /// streams by the transaction of the decision, before a sink is asked, so there is nothing that
  /// would arrive by it.
  static let all: [SinkCase] =
    local + (PushPeer.isThere ? push : []) + (SMTPPeer.isAvailable ? mail : [])
    + (WebPushStage.isThere ? browsers : [])

  /// Whether the peers of all can be run here.
  static let isComplete = PushPeer.isThere && SMTPPeer.isAvailable && WebPushStage.isThere

  private static let push = [
    SinkCase("apns", [.leaves, .stalls, .refuses]) { try await PushServicePeer(.apns) },
    SinkCase("fcm", [.leaves, .stalls, .refuses]) { try await PushServicePeer(.fcm) },
  ]

  private static let mail = [
    SinkCase("smtp", [.leaves, .stalls, .refuses]) { try MailPeer() }
  ]

  /// There is no one service that could leave: every browser has its own.
  private static let browsers = [
    SinkCase("webpush", [.stalls, .refuses]) { try WebPushPeer() }
  ]

  private static let local: [SinkCase] = [
    SinkCase("desktop", [.leaves, .stalls, .refuses, .ordered]) { try DesktopPeer() },
    SinkCase("exec", [.leaves, .stalls, .refuses]) { try ExecPeer() },
    SinkCase("http", [.leaves, .stalls, .refuses]) { try HTTPSinkPeer() },
    SinkCase("journal", [.ordered]) { try JournalPeer() },
    SinkCase("jsonl", [.ordered]) { try JSONLinesPeer() },
    SinkCase("ntfy", [.leaves, .stalls, .refuses]) { try NtfyPeer() },
    SinkCase("pipe", [.leaves, .stalls, .refuses, .ordered]) { try PipePeer() },
    SinkCase("webhook", [.leaves, .stalls, .refuses]) { try WebhookPeer() },
  ]

  static func all(that trait: Trait) -> [SinkCase] {
    all.filter { $0.traits.contains(trait) }
  }
}

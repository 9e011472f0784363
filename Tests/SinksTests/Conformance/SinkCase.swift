import Testing

/// A type of sink with a peer that behaves well, for the suite that every sink has to pass.
struct SinkCase: Sendable, CustomTestStringConvertible {
  /// What the peer can do beside taking deliveries, and what the sink promises beyond the rest.
  enum Trait {
    /// It can be gone and come back.
    case leaves
    /// It can be silent.
    case stalls
    /// It can say no to one of many.
    case refuses
    /// The sink hands over one after the other, in order.
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

  /// Every sink there is, a line each.
  static let all: [SinkCase] = local + (PushPeer.isThere ? push : [])

  private static let push = [
    SinkCase("apns", [.leaves, .stalls, .refuses]) { try await PushServicePeer(.apns) },
    SinkCase("fcm", [.leaves, .stalls, .refuses]) { try await PushServicePeer(.fcm) },
  ]

  private static let local: [SinkCase] = [
    SinkCase("desktop", [.leaves, .stalls, .ordered]) { try DesktopPeer() },
    SinkCase("exec", [.leaves, .stalls, .refuses]) { try ExecPeer() },
    SinkCase("journal", [.ordered]) { try JournalPeer() },
    SinkCase("jsonl", [.ordered]) { try JSONLinesPeer() },
    SinkCase("pipe", [.leaves, .stalls, .refuses, .ordered]) { try PipePeer() },
  ]

  static func all(that trait: Trait) -> [SinkCase] {
    all.filter { $0.traits.contains(trait) }
  }
}

import Fleet
import Systemd

/// Reports a node's state to operators: each event to the journal, and current troubles to the
/// status. The reporter is used only on the node's thread.
final class NodeReporter {
  /// The subject of remarks about the connection to PostgreSQL.
  private static let subject = "fleet"
  /// The subject of remarks about draining.
  private static let draining = "draining"

  private let name: String
  private let journal: Journal
  private let board: StatusBoard
  /// Whether it was already reported that PostgreSQL cannot be reached.
  private var isUnreachable = false

  init(name: String, journal: Journal, board: StatusBoard) {
    (self.name, self.journal, self.board) = (name, journal, board)
  }

  func report(_ note: FleetNote) {
    switch note {
    case .rejoins, .distrusts: board.remark(on: Self.subject, note.description)
    case .trustsAgain: board.remark(on: Self.subject, nil)
    case .drained: board.remark(on: Self.draining, note.description)
    // A node that claims shards is no longer drained.
    case .claimed: board.remark(on: Self.draining, nil)
    case .skewed(_, let degree):
      board.remark(on: "clock of the fleet", degree == .none ? nil : note.description)
    case .joined, .evicted, .gaveAway: break
    }
    let text = "\(name): \(note)"
    let fields: [(name: JournalField, value: String)] =
      note.kind.fields.isEmpty ? [] : [(.reason, note.description)]
    journal.send(note.kind, text, fields: fields)
  }

  /// Reports the outage once, however often connecting fails.
  func reportUnreachable(_ reason: String) {
    board.remark(on: Self.subject, "waiting for PostgreSQL: \(reason)")
    guard !isUnreachable else { return }
    isUnreachable = true
    journal.send(
      .fleetUnreachable, "\(name): no requests are served until PostgreSQL can be used: \(reason)",
      fields: [(.reason, reason)])
  }

  /// Clears the troubles when an engine is serving.
  func reportServing() {
    board.remark(on: Self.subject, nil)
    isUnreachable = false
  }
}

extension FleetNote {
  var kind: MessageKind {
    switch self {
    case .joined: .fleetJoined
    case .rejoins: .fleetRejoined
    case .distrusts: .fleetDistrusted
    case .trustsAgain: .fleetTrusted
    case .evicted: .fleetNodeEvicted
    case .claimed, .gaveAway, .drained: .fleetShardsMoved
    case .skewed(_, .none): .clockTrusted
    case .skewed: .fleetClockSkewed
    }
  }
}

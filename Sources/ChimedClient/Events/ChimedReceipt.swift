/// The result of an event.
public enum ChimedReceipt: Hashable, Sendable {
  /// The event is stored on disk.
  case accepted
  /// The event was stored before, and nothing changed. A repeated request gets this result for an
  /// event whose first answer was lost.
  case duplicate
  /// The event is rejected. The other events of its batch are not affected.
  case refused(ChimedProblem)

  init(_ item: Item) throws(ChimedError) {
    switch item.status {
    case "accepted": self = .accepted
    case "duplicate": self = .duplicate
    case "refused": self = .refused(ChimedProblem(item.problem))
    default: throw .unreadable("\"\(item.status)\" is not a result of an event")
    }
  }

  struct Item: Decodable {
    let status: String
    let problem: ChimedProblem.Document?
  }
}

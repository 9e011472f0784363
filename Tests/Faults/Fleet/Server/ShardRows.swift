import CivilTime
import Fleet

/// What an app reports: somebody is to be told of it at one or more instants.
struct ModelEvent: Hashable {
  let id: Int
  let shard: Int
  let recipient: Int
  let dues: [TimeSpan]

  /// What is to be said, with when: each is an occurrence.
  var occurrences: [(Int, TimeSpan)] {
    dues.enumerated().map { (id * 4 + $0.offset, $0.element) }
  }
}

/// What was decided for an occurrence.
struct ModelNotification: Hashable {
  let id: Int64
  let occurrence: Int
  let recipient: Int
  /// Whose sink may have it.
  var holder: Incarnation?
}

/// A change of a shard's rows.
enum ModelChange {
  case event(ModelEvent)
  case decide(ModelNotification)
  case hand(Int, to: Incarnation)
  case answer(Int)
}

/// What is kept of a shard: in the database, and in its owner's memory.
struct ShardRows: Hashable {
  struct Wait: Hashable {
    let due: TimeSpan
    let recipient: Int
  }

  private(set) var events: Set<Int> = []
  /// Occurrences that have no outcome.
  private(set) var waiting: [Int: Wait] = [:]
  /// Occurrences that have one, but of which no sink has said that it has it.
  private(set) var open: [Int: ModelNotification] = [:]
  /// The notifications that were delivered, by occurrence.
  private(set) var delivered: [Int: Int64] = [:]
  /// The latest notification of each recipient.
  private(set) var latest: [Int: Int64] = [:]
  /// How often it has changed.
  private(set) var version = 0

  mutating func apply(_ changes: [ModelChange]) {
    version += 1
    for change in changes { apply(change) }
  }

  private mutating func apply(_ change: ModelChange) {
    switch change {
    case .event(let event):
      events.insert(event.id)
      for (occurrence, due) in event.occurrences {
        waiting[occurrence] = Wait(due: due, recipient: event.recipient)
      }
    case .decide(let notification):
      waiting[notification.occurrence] = nil
      open[notification.occurrence] = notification
      latest[notification.recipient] = notification.id
    case .hand(let occurrence, let holder): open[occurrence]?.holder = holder
    case .answer(let occurrence):
      delivered[occurrence] = open.removeValue(forKey: occurrence)?.id
    }
  }
}

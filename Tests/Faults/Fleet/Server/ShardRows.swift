import CivilTime
import Fleet

/// An app's event, which leads to one or more occurrences.
struct ModelEvent: Hashable {
  let id: Int
  let shard: Int
  let recipient: Int
  let dues: [TimeSpan]

  /// The numbers of the occurrences with their due times.
  var occurrences: [(Int, TimeSpan)] {
    dues.enumerated().map { (id * 4 + $0.offset, $0.element) }
  }
}

/// The decision on an occurrence.
struct ModelNotification: Hashable {
  let id: Int64
  let occurrence: Int
  let recipient: Int
  /// The node whose sink may have the notification.
  var holder: Incarnation?
}

/// A change of a shard's rows.
enum ModelChange {
  case event(ModelEvent)
  case decide(ModelNotification)
  case dispatch(Int, to: Incarnation)
  case answer(Int)
}

/// The rows of a shard, in the database and in its owner's memory.
struct ShardRows: Hashable {
  struct Wait: Hashable {
    let due: TimeSpan
    let recipient: Int
  }

  private(set) var events: Set<Int> = []
  /// Occurrences without an outcome.
  private(set) var waiting: [Int: Wait] = [:]
  /// Occurrences with an outcome that no sink has accepted yet.
  private(set) var open: [Int: ModelNotification] = [:]
  /// The delivered notifications, by occurrence.
  private(set) var delivered: [Int: Int64] = [:]
  /// The latest notification of each recipient.
  private(set) var latest: [Int: Int64] = [:]
  /// The number of changes.
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
    case .dispatch(let occurrence, let holder): open[occurrence]?.holder = holder
    case .answer(let occurrence):
      delivered[occurrence] = open.removeValue(forKey: occurrence)?.id
    }
  }
}

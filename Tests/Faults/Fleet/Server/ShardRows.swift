import CivilTime
import Fleet

/// An app's event, which leads to one or more occurrences.
struct ModelEvent: Hashable {
  let id: Int
  let shard: Int
  let recipient: Int
  /// The due time of each occurrence.
  let dueTimes: [TimeSpan]

  /// The numbers of the occurrences with their due times.
  var occurrences: [(Int, TimeSpan)] {
    dueTimes.enumerated().map { (id * 4 + $0.offset, $0.element) }
  }
}

/// The record of a decision about an occurrence.
struct ModelNotification: Hashable {
  let id: Int64
  let occurrence: Int
  let recipient: Int
  /// The node that has last dispatched the notification; nil if there is none.
  var holder: Incarnation?
}

/// A change of a shard's rows.
enum ModelChange {
  /// An event is ingested.
  case event(ModelEvent)
  /// An occurrence gets its outcome.
  case decide(ModelNotification)
  /// A node dispatches the notification of an occurrence.
  case dispatch(Int, to: Incarnation)
  /// The sink has accepted the notification of an occurrence.
  case answer(Int)
}

/// The rows of a shard, in the database and in its owner's memory.
struct ShardRows: Hashable {
  struct Occurrence: Hashable {
    let due: TimeSpan
    let recipient: Int
  }

  /// The ids of the ingested events.
  private(set) var events: Set<Int> = []
  /// The occurrences without an outcome, by number.
  private(set) var undecided: [Int: Occurrence] = [:]
  /// The notifications that no sink has accepted yet, by occurrence.
  private(set) var open: [Int: ModelNotification] = [:]
  /// The ids of the delivered notifications, by occurrence.
  private(set) var delivered: [Int: Int64] = [:]
  /// The id of each recipient's latest notification.
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
        undecided[occurrence] = Occurrence(due: due, recipient: event.recipient)
      }
    case .decide(let notification):
      undecided[notification.occurrence] = nil
      open[notification.occurrence] = notification
      latest[notification.recipient] = notification.id
    case .dispatch(let occurrence, let holder): open[occurrence]?.holder = holder
    case .answer(let occurrence):
      delivered[occurrence] = open.removeValue(forKey: occurrence)?.id
    }
  }
}

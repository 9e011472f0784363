import Reminders
import Store

extension EngineCore {
  /// Looks up all that the events submitted to a turn are about, in one go: many take half of what
  /// they take one by one.
  func lookAhead(
    _ requests: [Request], _ turn: inout Turn, in transaction: StoreTransaction
  ) throws {
    let batches = requests.compactMap(\.events)
    let count = batches.reduce(0) { $0 + $1.count }
    guard count > 1 else { return }
    var (slots, people, names): ([Int64], [Int], [String]) = ([], [], [])
    slots.reserveCapacity(count)
    people.reserveCapacity(count)
    turn.people.reserve(count)
    for batch in batches {
      let events = batch.span
      for index in events.indices {
        slots.append(transaction.slot(of: events[index]))
        let (place, isNew) = turn.people.place(of: events[index].recipient)
        if isNew { names.append(events[index].recipient) }
        people.append(place)
      }
    }
    let identities = try transaction.places(of: slots)
    turn.lookedUp = zip(identities, people).map { Turn.LookedUp(identity: $0, person: $1) }[...]
    try transaction.forEachRecipient(named: names) { turn.people.seat($0) }
  }
}

extension Request {
  /// The events that it hands in; nil for another request.
  fileprivate var events: [Event]? {
    if case .submit(let events, _) = self { events } else { nil }
  }
}

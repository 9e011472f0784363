import Access
import CivilTime
import Reminders
import Store

extension MemoryTransaction {
  func recipient(named name: String) -> StoredRecipient? {
    state.rows[ExactText(name)].flatMap { state.recipients[$0] }
  }

  func recipient(row: UInt32) -> StoredRecipient? { state.recipients[row] }

  func forEachRecipient(named names: [String], _ body: (consuming StoredRecipient) -> Void) {
    let found = Set(names.compactMap { state.rows[ExactText($0)] }).sorted()
    for stored in recipients(rows: found[...]) { body(stored) }
  }

  func recipients(rows: ArraySlice<UInt32>) -> [StoredRecipient] {
    rows.compactMap { state.recipients[$0] }
  }

  func savePhone(_ number: PhoneNumber?, of stored: StoredRecipient) {
    state.phones[stored.row] = number
  }

  func rows(of number: PhoneNumber, limit: Int) -> [UInt32] {
    Array(state.phones.filter { $0.value == number }.keys.sorted().prefix(limit))
  }

  func factBases(of rows: [UInt32]) -> [UInt32: FactBase] {
    state.bases.filter { rows.contains($0.key) }
  }

  func recipientsOfBases(expiredBefore end: Instant, limit: Int) -> [UInt32] {
    let expired = state.bases.filter { $0.value.firstExpiry.map { $0 < end } ?? false }
    return Array(expired.keys.sorted().prefix(limit))
  }

  func save(_ base: FactBase, of stored: StoredRecipient) { state.bases[stored.row] = base }

  func lastRecipient() -> UInt32 { state.recipients.keys.max() ?? 0 }

  func recipients(
    beginningWith prefix: String, after last: String?, limit: Int
  ) -> [ListedRecipient] {
    let listed = state.recipients.values.filter { stored in
      let name = stored.recipient.name.utf8
      return name.starts(with: prefix.utf8)
        && last.map { $0.utf8.lexicographicallyPrecedes(name) } ?? true
    }
    .map { ListedRecipient(name: $0.recipient.name, pending: $0.pending, due: $0.due) }
    .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    return Array(listed.prefix(limit))
  }

  func forEachSchedule(in rows: ClosedRange<UInt32>, _ body: (UInt32, Schedule) -> Void) {
    let found = state.recipients.filter { rows.contains($0.key) }
    for (row, stored) in found.sorted(by: { $0.key < $1.key }) {
      body(row, Schedule(due: stored.due, pending: stored.pending))
    }
  }

  func admit(_ recipient: Recipient) -> StoredRecipient {
    let row = state.nextRecipient
    state.nextRecipient += 1
    state.admitted[row] = recipient.name
    return StoredRecipient(
      row: row, recipient: recipient, lastEvent: 0, pending: 0, due: nil, hasUnsavedFacts: true)
  }

  /// Keeps the stored facts of recipients without news, as the stores on disk do.
  func save(_ recipients: [StoredRecipient], _ schedules: [Schedule]) {
    for (changed, schedule) in zip(recipients, schedules) {
      var stored = changed
      if !changed.hasUnsavedFacts, let previous = state.recipients[changed.row] {
        stored = previous
        stored.recipient = Recipient(
          name: previous.recipient.name, facts: previous.recipient.facts,
          progress: changed.recipient.progress)
        stored.counts = changed.counts
      }
      (stored.due, stored.pending, stored.hasUnsavedFacts) = (schedule.due, schedule.pending, false)
      state.recipients[stored.row] = stored
      state.rows[ExactText(stored.recipient.name)] = stored.row
    }
  }

  // MARK: - Events

  func lookups(of requests: [[Event]]) -> [EventLookup] {
    requests.joined().map { EventLookup(slot: 0, isFree: state.identities[$0.identity] == nil) }
  }

  func match(_ event: Event, at lookup: EventLookup?) -> EventMatch {
    if state.erasedIdentities.contains(event.identity.hashValue) { return .same }
    guard let entry = state.identities[event.identity].flatMap({ state.events[$0] }) else {
      return .new(slot: 0)
    }
    let known = entry.event
    let isSame =
      event.type == known.type && event.data == known.data
      && event.isTimeGiven == known.isTimeGiven && (!event.isTimeGiven || event.time == known.time)
      && ExactText(event.recipient) == ExactText(known.recipient)
    return isSame ? .same : .other
  }

  func orders(of identities: [EventIdentity]) -> [Int64?] {
    identities.map { state.identities[$0] }
  }

  func append(
    _ event: Event, slot: Int64, row: UInt32, previous: Int64, received: Instant
  ) -> Int64 {
    let order = state.nextEvent
    state.nextEvent += 1
    state.events[order] = MemoryState.StoredEvent(
      event: event, row: row, previous: previous, received: received)
    state.identities[event.identity] = order
    return order
  }

  func events(orders: [Int64]) -> [StoredEvent] {
    orders.compactMap { order in state.events[order].map { $0.storedEvent(order: order) } }
  }

  func events(through last: Int64, receivedBy end: Instant, limit: Int) -> EventHistory? {
    var events: [StoredEvent] = []
    var next = last
    for _ in 0..<limit where next != 0 {
      guard let event = state.events[next] else {
        return EventHistory(events.reversed(), isComplete: false)
      }
      if event.received <= end { events.append(event.storedEvent(order: next)) }
      next = event.previous
    }
    return next == 0 ? EventHistory(events.reversed(), isComplete: true) : nil
  }

  func events(
    of recipient: UInt32, from first: Int64, limit: Int
  ) -> (events: [PastEvent], next: Int64) {
    var events: [PastEvent] = []
    var next = first
    while next != 0, events.count < limit {
      guard let entry = state.events[next], entry.row == recipient else { return (events, 0) }
      events.append(entry.past)
      next = entry.previous
    }
    return (events, next)
  }

  // MARK: - Erasure

  func erasures(of names: [String]) -> [String: Instant] {
    var erasures: [String: Instant] = [:]
    for name in names { erasures[name] = state.erasures[ExactText(name).hashValue] }
    return erasures
  }

  func eraseTexts(
    of notifications: [Int64], events: [Int64: [UInt8]], of stored: StoredRecipient
  ) {
    for number in notifications {
      guard let entry = state.notifications[number], !entry.record.message.isCommon else {
        continue
      }
      state.notifications[number]?.record.message = entry.record.message.emptied
    }
    for (order, data) in events {
      guard let event = state.events[order]?.event else { continue }
      state.events[order]?.event = Event(
        identifier: event.identifier, source: event.source, type: event.type,
        recipient: event.recipient, time: event.time, isTimeGiven: event.isTimeGiven,
        content: event.content, data: data)
    }
  }

  func erase(_ stored: StoredRecipient, at time: Instant) {
    let (row, name) = (stored.row, ExactText(stored.recipient.name))
    for (number, entry) in state.notifications where entry.record.row == row {
      state.removeNotification(number)
    }
    for (order, entry) in state.events where entry.row == row {
      state.erasedIdentities.insert(entry.event.identity.hashValue)
      state.identities[entry.event.identity] = nil
      state.events[order] = nil
    }
    state.inbox[row] = nil
    state.phones[row] = nil
    state.bases[row] = nil
    state.analytics.removeAll { $0.row == row }
    state.tokens = state.tokens.filter { !$0.value.scope.isLimited(to: name.text) }
    state.recipients[row] = nil
    state.rows[name] = nil
    state.erasures[name.hashValue] = max(time, state.erasures[name.hashValue] ?? time)
    state.erasureOpen = state.erasureOpen ?? time
    state.erasureCount += 1
  }
}

extension MemoryState.StoredEvent {
  func storedEvent(order: Int64) -> StoredEvent {
    StoredEvent(
      order: order, received: received, source: event.source, identifier: event.identifier,
      type: event.type, time: event.time, isTimeGiven: event.isTimeGiven, data: event.data)
  }

  fileprivate var past: PastEvent {
    PastEvent(
      identifier: event.identifier, source: event.source, type: event.type, time: event.time,
      received: received, data: event.data)
  }
}

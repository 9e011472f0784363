import CivilTime
import Reminders
import Store

extension Questions {
  /// How many notifications a search looks at before it lets others have their turn.
  private static let searchMax = 1_000

  /// - Returns: an empty inbox for a recipient of whom nothing is known.
  func inbox(of name: String, offset: Int, limit: Int) throws(StoreError) -> InboxPage {
    try readers.read { transaction in
      guard let stored = try transaction.recipient(named: name) else { return InboxPage() }
      let items = try transaction.inbox(row: stored.row, offset: offset, limit: limit)
      return InboxPage(
        counts: InboxCounts(stored.ledger),
        items: items.map { item in
          InboxPage.Item(
            identifier: identifier(of: item.notification), at: item.at, isRead: item.isRead,
            caption: item.caption)
        })
    }
  }

  func told(
    of name: String, _ question: ToldQuestion, now: Instant
  ) throws(StoreError) -> Told? {
    let planner = planner
    return try readers.read { transaction -> Told? in
      guard let stored = try transaction.recipient(named: name) else { return nil }
      let situation = Situation(facts: stored.recipient.facts, planner: planner)
      var told = Told(
        recipient: name, zone: situation.zone, now: now, counts: InboxCounts(stored.ledger),
        hasPending: stored.recipient.outlook(in: situation).pending > 0, entries: [], next: nil)
      told.isOfRecent = question.isOfRecent
      told.next = try transaction.forEachTold(
        of: stored, after: question.after, most: Self.searchMax
      ) { past in
        var entry = Told.Entry(past, identifier: identifier(of: past.notification))
        guard question.wants(entry) else { return false }
        entry.deliveries = try transaction.deliveries(of: past)
        entry.state = ToldState(of: entry.deliveries.map(\.state))
        if question.state.map({ $0 == entry.state }) ?? true { told.entries.append(entry) }
        return told.entries.count >= question.limit
      }
      return told
    }
  }
}

extension EngineCore {
  /// How many of those that are cleared at once are counted by category.
  private static let clearMax = 10_000

  /// Nil for a recipient of whom nothing is known.
  func perform(
    _ write: InboxWrite, of name: String, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws -> InboxReceipt? {
    guard let person = try person(named: name, &turn, in: transaction) else { return nil }
    try fireDue(&person.stored, &turn, in: transaction)
    let count = try carryOut(write, on: &person.stored, &turn, in: transaction)
    person.isTouched = true
    return InboxReceipt(count: count, counts: InboxCounts(person.stored.ledger))
  }

  private func carryOut(
    _ write: InboxWrite, on stored: inout StoredRecipient, _ turn: inout Turn,
    in transaction: StoreTransaction
  ) throws -> Int {
    let now = turn.now
    switch write {
    case .read(let identifiers):
      return try Set(identifiers.compactMap(number)).count { notification in
        try transaction.read(notification, of: &stored, now: now)
      }
    case .readAll:
      let count = stored.ledger.unread
      try transaction.readAll(of: &stored, now: now)
      return count
    case .dismiss(let identifier):
      guard let notification = number(of: identifier),
        try transaction.dismiss(notification, of: &stored, now: now)
      else { return 0 }
      try count(.dismissed, notification, of: stored, at: now, &turn, in: transaction)
      return 1
    case .clear:
      try countCleared(of: stored, &turn, in: transaction)
      return try transaction.clear(&stored)
    }
  }

  /// All that is cleared counts as dismissed (rule M2); of a very long list, the latest.
  private func countCleared(
    of stored: StoredRecipient, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws {
    let zone = Situation(facts: stored.recipient.facts, planner: turn.planner).zone
    let hour = LocalHour(turn.now, in: zone)
    try transaction.forEachRecent(of: stored, most: Self.clearMax) { category, channels in
      turn.usage.add(.dismissed, category: category, channels: channels, at: hour)
    }
  }

  /// What is opened is read, and counts as opened (rule M2). Of a notification that is not this
  /// recipient's nothing comes but what the facts keep.
  func open(
    _ identifier: String, at time: Instant, _ stored: inout StoredRecipient, _ turn: inout Turn,
    in transaction: StoreTransaction
  ) throws {
    guard let notification = number(of: identifier) else { return }
    try count(.opened, notification, of: stored, at: time, &turn, in: transaction)
    _ = try transaction.read(notification, of: &stored, now: turn.now)
  }

  private func count(
    _ measure: UsageMeasure, _ notification: Int64, of stored: StoredRecipient, at time: Instant,
    _ turn: inout Turn, in transaction: StoreTransaction
  ) throws {
    guard let found = try transaction.notification(notification), found.row == stored.row else {
      return
    }
    let zone = Situation(facts: stored.recipient.facts, planner: turn.planner).zone
    turn.usage.add(
      measure, category: found.past.caption.category, channels: found.past.channels,
      at: LocalHour(time, in: zone))
  }
}

extension InboxCounts {
  init(_ ledger: Ledger) {
    self.init(items: ledger.items, unread: ledger.unread, recent: ledger.recent)
  }
}

extension Told.Entry {
  fileprivate init(_ past: ToldNotification, identifier: String) {
    self.init(
      identifier: identifier, planned: past.planned, at: past.at, state: .sending,
      deliveries: [], channels: past.channels, isSilent: past.isSilent, reasons: past.reasons,
      isDismissed: past.isDismissed, isRead: past.isRead,
      caption: past.caption)
  }
}

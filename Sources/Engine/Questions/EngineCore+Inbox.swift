package import CivilTime
package import Reminders
import Store

extension Questions {
  /// How many notifications a search looks at before it lets others have their turn.
  private static let searchMax = 1_000
  /// How many are read at a time where few are wanted, and where all are.
  private static let readMin = 16
  private static let readMax = 256

  /// - Returns: an empty inbox for an unknown recipient.
  func inbox(of name: String, offset: Int, limit: Int) throws(StoreError) -> InboxPage {
    try readers.read { transaction in
      guard let stored = try transaction.recipient(named: name) else { return InboxPage() }
      let items = try transaction.inbox(row: stored.row, offset: offset, limit: limit)
      let context = PlanningContext(facts: stored.recipient.facts, planner: planner)
      return InboxPage(
        counts: InboxCounts(stored.counts),
        items: items.map { item in
          InboxPage.Item(
            identifier: identifier(of: item.notification), at: item.at, isRead: item.isRead,
            message: context.upToDate(item.message, told: item.at))
        })
    }
  }

  func arrived(of name: String) throws(StoreError) -> Int {
    try readers.read { transaction in
      guard let stored = try transaction.recipient(named: name) else { return 0 }
      return try arrivedCount(of: stored, in: transaction)
    }
  }

  /// How much a recipient has not dismissed of what has arrived, on whichever channel (rule D6). Of
  /// what lies behind the notifications that are looked at, what has gone out counts as arrived.
  private func arrivedCount(
    of stored: StoredRecipient, in reader: any StoreReader
  ) throws -> Int {
    var (unseen, arrived) = (stored.counts.recent, 0)
    var (rest, place) = (Self.searchMax, nil as Int64?)
    while unseen > 0, rest > 0 {
      let page = try reader.notificationHistory(
        of: stored, after: place, limit: min(rest, Self.readMax))
      guard let last = page.last else { break }
      (place, rest) = (last.own.notification, rest - page.count)
      let open = page.filter { past in
        past.own.outcome == .delivered && past.standsForItself && !past.isDismissed
      }
      unseen -= open.count
      arrived += try hasArrived(open, in: reader)
      if last.previous == 0 { break }
    }
    return arrived + max(0, unseen)
  }

  /// How many of some have arrived by one of their ways.
  private func hasArrived(_ past: [HistoryNotification], in reader: any StoreReader) throws -> Int {
    let sent = past.map { $0.ways.filter { $0.outcome == .delivered } }
    let states = try reader.deliveryStates(of: sent.joined().map(\.notification))
    return sent.count { ways in
      ways.contains { way in
        way.channels.contains(ChannelSet(.inapp))
          || states[way.notification, default: []].contains { $0.told == .delivered }
      }
    }
  }

  func notificationHistory(
    of name: String, _ question: HistoryQuestion, now: Instant
  ) throws(StoreError) -> NotificationHistory? {
    let planner = planner
    return try readers.read { transaction -> NotificationHistory? in
      guard let stored = try transaction.recipient(named: name) else { return nil }
      let context = PlanningContext(facts: stored.recipient.facts, planner: planner)
      var history = NotificationHistory(
        recipient: name, zone: context.zone, now: now, counts: InboxCounts(stored.counts),
        hasPending: stored.recipient.schedule(in: context).pending > 0, entries: [], next: nil)
      history.isOfRecent = question.isOfRecent
      var place: Int64? = question.after
      var rest = Self.searchMax
      while rest > 0, history.entries.count < question.limit {
        let limit = min(rest, max(Self.readMin, question.limit - history.entries.count))
        let page = try transaction.notificationHistory(of: stored, after: place, limit: limit)
        place = try add(page, to: &history, for: question, in: transaction)
        guard place != nil else { return history }
        rest -= page.count
      }
      history.next = place
      return history
    }
  }

  /// Adds what is wanted until that is enough.
  ///
  /// - Returns: the last one looked at, if there are more behind it.
  private func add(
    _ page: [HistoryNotification], to history: inout NotificationHistory,
    for question: HistoryQuestion, in transaction: any StoreReader
  ) throws -> Int64? {
    let entries = page.map { past in
      past.standsForItself
        ? NotificationHistory.Entry(past, identifier: identifier(of: past.own.notification)) : nil
    }
    let wanted = zip(page, entries).filter { $1.map(question.wants) ?? false }.map(\.0)
    let states = try transaction.deliveryStates(of: wanted.flatMap(\.sent))
    for (past, entry) in zip(page, entries) {
      if var entry, question.wants(entry) {
        entry.deliveries = past.deliveries(states)
        entry.state = NotificationState(of: entry.deliveries.map(\.state))
        if question.state.map({ $0 == entry.state }) ?? true { history.entries.append(entry) }
      }
      let isEnough = history.entries.count >= question.limit
      if isEnough { return past.previous == 0 ? nil : past.own.notification }
    }
    return page.last.flatMap { $0.previous == 0 ? nil : $0.own.notification }
  }
}

extension EngineCore {
  /// How many of those that are cleared at once are counted by category.
  private static let clearMax = 10_000

  /// Nil for an unknown recipient.
  func perform(
    _ write: InboxWrite, of name: String, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws -> InboxReceipt? {
    guard let person = try person(named: name, &turn, in: transaction) else { return nil }
    try fireDue(&person.stored, &turn, in: transaction)
    let count = try carryOut(write, on: &person.stored, &turn, in: transaction)
    person.isTouched = true
    return InboxReceipt(count: count, counts: InboxCounts(person.stored.counts))
  }

  private func carryOut(
    _ write: InboxWrite, on stored: inout StoredRecipient, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws -> Int {
    let now = turn.now
    switch write {
    case .read(let identifiers):
      return try transaction.read(
        Set(identifiers.compactMap(number)).sorted(), of: &stored, now: now)
    case .readAll:
      let count = stored.counts.unread
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
    of stored: StoredRecipient, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    let zone = PlanningContext(facts: stored.recipient.facts, planner: turn.planner).zone
    let hour = LocalHour(turn.now, in: zone)
    for (category, channels) in try transaction.recent(of: stored, most: Self.clearMax) {
      turn.usage.add(.dismissed, category: category, channels: channels, at: hour)
    }
  }

  /// What is opened is read, and counts as opened (rule M2). Of a notification that is not this
  /// recipient's nothing comes but what the facts keep.
  func open(
    _ identifier: String, at time: Instant, _ stored: inout StoredRecipient, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    guard let notification = number(of: identifier) else { return }
    try count(.opened, notification, of: stored, at: time, &turn, in: transaction)
    _ = try transaction.read([notification], of: &stored, now: turn.now)
  }

  private func count(
    _ measure: UsageMeasure, _ notification: Int64, of stored: StoredRecipient, at time: Instant,
    _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    let found = try transaction.notifications([notification])[notification]
    guard let found, found.row == stored.row else { return }
    let zone = PlanningContext(facts: stored.recipient.facts, planner: turn.planner).zone
    turn.usage.add(
      measure, category: found.past.message.category, channels: found.past.channels,
      at: LocalHour(time, in: zone))
  }
}

extension InboxCounts {
  init(_ counts: NotificationCounts) {
    self.init(items: counts.items, unread: counts.unread, recent: counts.recent)
  }
}

extension NotificationHistory.Entry {
  fileprivate init(_ past: HistoryNotification, identifier: String) {
    self.init(
      identifier: identifier, planned: past.own.planned, at: past.own.at, state: .sending,
      deliveries: [], channels: past.channels, isSilent: past.isSilent, reasons: past.own.reasons,
      isDismissed: past.isDismissed, isRead: past.isRead,
      message: past.message)
  }
}

/// How much a recipient has that was delivered.
package struct InboxCounts: Hashable, Sendable {
  /// The items of the inbox, and how many of them are unread.
  package var items: Int
  package var unread: Int
  /// What has gone out over any channel and is not dismissed, whether or not it has arrived yet.
  package var recent: Int

  package init(items: Int = 0, unread: Int = 0, recent: Int = 0) {
    self.items = items
    self.unread = unread
    self.recent = recent
  }
}

/// A page of a recipient's inbox, the latest first (rule N1).
package struct InboxPage: Sendable {
  package struct Item: Sendable {
    /// The same as that of the notification that stands for it.
    package var identifier: String
    package var at: Instant
    package var isRead: Bool
    package var message: Message

    package init(identifier: String, at: Instant, isRead: Bool, message: Message) {
      self.identifier = identifier
      self.at = at
      self.isRead = isRead
      self.message = message
    }
  }

  package var counts: InboxCounts
  package var items: [Item]

  package init(counts: InboxCounts = InboxCounts(), items: [Item] = []) {
    self.counts = counts
    self.items = items
  }
}

/// What a person does with what was delivered to them.
package enum InboxWrite: Sendable {
  /// By identifiers; those that are not theirs are passed over (rule N3).
  case read([String])
  case readAll
  case dismiss(String)
  /// Dismisses all that was delivered; what is pending stays.
  case clear
}

/// What came of it.
package struct InboxReceipt: Hashable, Sendable {
  /// How many were found.
  package var count: Int
  package var counts: InboxCounts

  package init(count: Int, counts: InboxCounts) {
    self.count = count
    self.counts = counts
  }
}

import CivilTime
import Reminders
import Store
import Testing

/// Every store's notifications and inboxes.
@Suite struct NotificationConformanceTests {
  private let push = ChannelSet(.push)
  private let inapp = ChannelSet(.inapp)

  @Test(arguments: StoreKind.allCases)
  func `an occurrence has one outcome`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    #expect(
      try stage.record(
        Fixtures.record(key: 1), Fixtures.record(key: 1), Fixtures.record(row: 2, key: 1))
        == [1, nil, 3])
    #expect(try stage.record(Fixtures.record(key: 1), Fixtures.record(key: 2)) == [nil, 5])
    #expect(try stage.record(Fixtures.record(key: 1, outcome: .dropped)) == [nil])
    #expect(try stage.chain() == [5, 1])
    #expect(try stage.counts().recent == 2)
    #expect(stage.store.lastNotification == 5)
  }

  @Test(arguments: StoreKind.allCases)
  func `D17: deliveries and history have the discreet text`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    let discreet = DiscreetText(text: "It is time", channels: [.init(.push), .init(.sms)])
    let texts = [nil, discreet, DiscreetText(text: "It is time"), discreet]
    let records = texts.enumerated().map { index, text in
      var record = Fixtures.record(key: Int64(index))
      record.hints = [.previewNever]
      record.message = Message(
        reminder: "note", category: "NOTE", title: "Note", body: "A note.", discreet: text,
        isCommon: index < 3)
      return record
    }
    for record in records { try stage.record(record) }
    let deliveries = try stage.store.commit {
      try $0.deliveries(after: 0, limit: 9, on: push).deliveries
    }
    #expect(deliveries.map(\.message.discreet) == texts)
    #expect(deliveries.map(\.title) == ["Note"] + Array(repeating: "It is time", count: 3))
    let past = try stage.read { try $0.notifications([1, 2, 3, 4]) }
    #expect((1...4).map { past[Int64($0)]?.past.message.discreet } == texts)
    #expect(past[2]?.past.hints == [.previewNever])
  }

  @Test(arguments: StoreKind.allCases)
  func `T6: a delivery replaces a drop`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    for key in Int64(1)...3 {
      try stage.record(Fixtures.record(key: key, outcome: .dropped))
    }
    #expect(try stage.record(Fixtures.record(key: 2)) == [4])
    #expect(try stage.chain() == [4, 3, 1])
    #expect(try stage.record(Fixtures.record(key: 2, outcome: .dropped)) == [nil])
    #expect(
      try stage.record(Fixtures.record(key: 5, outcome: .dropped), Fixtures.record(key: 5))
        == [nil, 6])
    #expect(try stage.chain() == [6, 4, 3, 1])
    let numbers = try stage.read { reader in
      try reader.notifications(
        of: [2, 3, 9].map { OccurrenceKey(Symbol("note"), $0, row: 1, .interrupting) })
    }
    #expect(numbers == [4, 3, nil])
    let drops = try stage.change { try $0.drops(of: $1, after: 1) }
    #expect(drops.map(\.key) == [3])
    // An occurrence that is dropped again gets a new record, with the current clock's time.
    #expect(try stage.record(Fixtures.record(key: 1, outcome: .dropped)) == [7])
    #expect(try stage.chain() == [7, 6, 4, 3])
  }

  @Test(arguments: StoreKind.allCases)
  func `N4: a snoozed delivery returns as another round with a new inbox item`(
    _ kind: StoreKind
  ) throws {
    let stage = try PortStage(kind, of: "amina")
    let first = Fixtures.record(key: 1).on(.interrupting, channels: push)
    try stage.record(first, first.on(.inapp, channels: inapp))
    let delivered = try stage.read { try $0.notifications(of: Symbol("note"), key: 1, row: 1) }
    #expect(delivered == [1, 2])
    _ = try stage.change { try $0.dismiss(1, of: &$1, now: Fixtures.noon) }
    var again = first
    again.round = 7
    #expect(try stage.record(again, again.on(.inapp, channels: inapp)) == [3, 4])
    #expect(try stage.record(again) == [nil])
    let open = try stage.history().filter { $0.isLeader && !$0.isDismissed }
    #expect(open.map { $0.groupRecords.map(\.notification) } == [[3, 4]])
    #expect(try stage.inbox().map(\.notification) == [3])
    #expect(try stage.counts().recent == 1)
    let numbers = try stage.read { reader in
      try reader.notifications(
        of: [0, 7, 8].map {
          OccurrenceKey(Symbol("note"), 1, row: 1, .interrupting, round: $0)
        })
    }
    #expect(numbers == [1, 3, nil])
  }

  @Test(arguments: StoreKind.allCases)
  func `N1: both channel groups of an occurrence are one inbox item`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    let first = Fixtures.record(key: 1).on(.interrupting, channels: push)
    try stage.record(first, first.on(.inapp, channels: inapp))
    try stage.record(Fixtures.record(key: 2).on(.inapp, channels: inapp))
    try stage.record(Fixtures.record(key: 2).on(.interrupting, channels: push))
    let delivered = try stage.history().filter(\.isLeader)
    #expect(delivered.map(\.own.notification) == [3, 1])
    #expect(delivered.map { $0.channels } == [[push, inapp], [push, inapp]])
    #expect(delivered.map { $0.groupRecords.map(\.notification) } == [[3, 4], [1, 2]])
    #expect(try stage.inbox().map(\.notification) == [3, 1])
    let counts = try stage.counts()
    #expect((counts.recent, counts.items, counts.unread) == (2, 2, 2))
  }

  @Test(arguments: StoreKind.allCases)
  func `N2: a batch is one inbox item with the latest text`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    var opener = Fixtures.record(key: 1, title: "one").on(.inapp, channels: inapp)
    opener.hasOtherGroups = false
    try stage.record(opener)
    for key in Int64(2)...3 {
      var next = Fixtures.record(key: key, title: "\(key)").on(.inapp, channels: inapp)
      next.opener = 1
      try stage.record(next.at(Fixtures.noon + .hours(Int(key))))
    }
    let items = try stage.inbox()
    #expect(items.map(\.notification) == [1])
    #expect(items.map(\.message.title) == ["3"])
    #expect(items.map(\.at) == [opener.at])
    #expect(try stage.counts().unread == 1)
    #expect(try stage.chain() == [3, 2, 1])
  }

  @Test(arguments: StoreKind.allCases)
  func `a notification that replaces another one dismisses it`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    try stage.record(Fixtures.record(key: 1).on(.inapp, channels: inapp))
    var other = Fixtures.record(key: 1).on(.inapp, channels: inapp)
    other.reminder = Symbol("other")
    other.replaced = [Symbol("note")]
    try stage.record(other)
    #expect(try stage.inbox().map(\.notification) == [2])
    #expect(try stage.history().map(\.isDismissed) == [false, true])
    let counts = try stage.counts()
    #expect((counts.recent, counts.items, counts.unread) == (1, 1, 1))
  }

  @Test(arguments: StoreKind.allCases)
  func `G18: dismissing a message to other people changes no count`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    try stage.record(Fixtures.record(key: 1).on(.interrupting, channels: push))
    try stage.record(Fixtures.record(key: 2).on(.interrupting, channels: []))
    #expect(try stage.counts().recent == 1)
    #expect(try stage.change { try $0.dismiss(2, of: &$1, now: Fixtures.noon) })
    #expect(try stage.counts().recent == 1)
    #expect(try stage.history().map(\.isDismissed) == [true, false])
  }

  @Test(arguments: StoreKind.allCases)
  func `inbox items are read, dismissed and cleared`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    for key in Int64(1)...6 {
      try stage.record(Fixtures.record(key: key).on(.inapp, channels: inapp))
    }
    try stage.record(Fixtures.record(row: 2, key: 1).on(.inapp, channels: inapp))
    let now = Fixtures.noon + .hours(1)
    #expect(try stage.inbox(offset: 1, limit: 2).map(\.notification) == [5, 4])
    #expect(try stage.inbox(after: 5, limit: 2).map(\.notification) == [4, 3])
    #expect(try stage.inbox(after: 5, offset: 1, limit: 2).map(\.notification) == [3, 2])
    #expect(try stage.inbox(after: 1).isEmpty)
    #expect(try stage.change { try $0.markAsRead([2, 3, 7, 99], of: &$1, now: now) } == 2)
    #expect(try stage.change { try $0.markAsRead([3], of: &$1, now: now) } == 1)
    #expect(try stage.counts().unread == 4)
    #expect(try stage.change { try $0.dismiss(3, of: &$1, now: now) })
    #expect(try stage.change { try !$0.dismiss(3, of: &$1, now: now) })
    #expect(try stage.change { try !$0.dismiss(7, of: &$1, now: now) })
    #expect(try stage.change { try $0.dismiss(4, of: &$1, now: now) })
    #expect(
      try stage.inbox().map { "\($0.notification) \($0.isRead)" }
        == ["6 false", "5 false", "2 true", "1 false"])
    #expect(try stage.change { try $0.recent(of: $1, limit: 100).count } == 4)
    #expect(try stage.change { try $0.recent(of: $1, limit: 2).count } == 2)
    try stage.change { try $0.markAllAsRead(of: &$1, now: now) }
    #expect(try stage.counts().unread == 0)
    #expect(try stage.inbox().allSatisfy(\.isRead))
    #expect(try stage.change { try $0.clear(&$1) } == 4)
    let counts = try stage.counts()
    #expect((counts.recent, counts.items, counts.unread) == (0, 0, 0))
    #expect(try stage.inbox().isEmpty)
    #expect(try stage.history().allSatisfy(\.isDismissed))
    #expect(try stage.inbox(2).map(\.notification) == [7])
  }

  @Test(arguments: StoreKind.allCases)
  func `N4: the history is read in pages`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    for key in Int64(1)...5 {
      try stage.record(Fixtures.record(key: key), Fixtures.record(row: 2, key: key))
    }
    let first = try stage.history(limit: 2)
    #expect(first.map(\.own.notification) == [9, 7])
    #expect(first.map(\.previous) == [7, 5])
    #expect(try stage.history(after: 7).map(\.own.notification) == [5, 3, 1])
    #expect(try stage.history(after: 1).isEmpty)
    #expect(try stage.history(after: 8).isEmpty)
    try stage.read { reader in
      let page = try reader.notifications(of: 1, after: 3, limit: 2)
      #expect(page.notifications.count == 2)
      #expect(page.last == 7)
      #expect(try reader.notifications(of: 1, after: 9, limit: 2).last == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a chain is read in parts`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    for key in Int64(1)...3 {
      try stage.record(Fixtures.record(key: key), Fixtures.record(row: 2, key: key))
    }
    func chain(_ row: UInt32, _ first: Int64?, _ end: Int64, _ limit: Int) throws
      -> NotificationChain
    {
      try stage.read { try $0.chain(of: row, from: first, downTo: end, limit: limit) }
    }
    #expect(try chain(1, nil, 0, 2) == NotificationChain(numbers: [5, 3], end: .next(1)))
    #expect(try chain(1, 1, 0, 2) == NotificationChain(numbers: [1], end: .next(0)))
    #expect(try chain(1, nil, 3, 9) == NotificationChain(numbers: [5], end: .next(3)))
    #expect(try chain(1, 6, 0, 9) == NotificationChain(numbers: [6], end: .broken))
    #expect(try chain(9, nil, 0, 9) == NotificationChain(end: .next(0)))
    let found = try stage.read { try $0.deliveries(of: [1, 2, 5], to: 1) }
    #expect(found[1]?.map(\.recipient) == ["amina"])
    #expect(found[2, default: []].isEmpty)
    #expect(found[5]?.map(\.identifier) == ["\(stage.store.instance)-5"])
  }

  @Test(arguments: StoreKind.allCases)
  func `H7: old notifications are pruned and the chain stays whole`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    for key in Int64(1)...6 {
      let record = Fixtures.record(key: key).on(.inapp, channels: inapp)
      try stage.record(record.at(Fixtures.noon + .hours(Int(key))))
    }
    try stage.change { _ = try $0.markAsRead([1, 2, 4], of: &$1, now: Fixtures.noon) }
    // Notification 3 is unread, and notification 1 must not be sent again.
    let pruned = try stage.store.prune(
      .notifications, by: Age(before: Fixtures.noon + .hours(5), now: Fixtures.noon + .days(9)),
      after: 0, limit: 10
    ) { $2 == 1 }
    #expect(pruned.removed == 2)
    #expect(pruned.cursor == nil)
    #expect(try stage.chain() == [6, 5, 3, 1])
    #expect(try stage.inbox().map(\.notification) == [6, 5, 3, 1])
    #expect(try stage.read { try $0.prunedThrough() } == 4)
    let counts = try stage.counts()
    #expect((counts.recent, counts.items, counts.unread) == (4, 4, 3))
    #expect(try stage.record(Fixtures.record(key: 9)) == [7])
  }

  @Test(arguments: StoreKind.allCases)
  func `N8: a delivery is replaced by a later round of its occurrence`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    var later = Fixtures.record(key: 1)
    later.round = 7
    try stage.record(Fixtures.record(key: 1), Fixtures.record(row: 2, key: 1), later)
    let deliveries = try stage.store.commit {
      try $0.deliveries(after: 0, limit: 9, on: ChannelSet(.push)).deliveries
    }
    #expect(deliveries.map(\.round) == [0, 0, 7])
    #expect(try stage.store.commit { try $0.replaced(among: deliveries) } == [1])
  }

  @Test(arguments: StoreKind.allCases)
  func `H7: a history stays readable when notifications are pruned out of order`(
    _ kind: StoreKind
  ) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    try stage.record(Fixtures.record(key: 1))
    try stage.record(Fixtures.record(row: 2, key: 2), Fixtures.record(row: 2, key: 3))
    func prune(keeping keys: Set<Int64>) throws -> Int {
      try stage.store.prune(
        .notifications, by: Age(before: Fixtures.noon + .hours(1), now: Fixtures.noon + .days(9)),
        after: 0, limit: 10
      ) { keys.contains($2) }.removed
    }
    #expect(try prune(keeping: [1, 3]) == 1)
    #expect(try prune(keeping: [3]) == 1)
    #expect(try stage.read { try $0.prunedThrough() } == 2)
    #expect(try stage.history(2).map(\.previous) == [2])
  }

  @Test(arguments: StoreKind.allCases)
  func `H7: a pruning step has a limit and returns where to continue`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    for key in Int64(1)...5 { try stage.record(Fixtures.record(key: key)) }
    func step(_ part: RetentionPart, _ cursor: Int64, _ end: Instant) throws -> String {
      let pruned = try stage.store.prune(
        part, by: Age(before: end, now: Fixtures.noon + .days(9)), after: cursor, limit: 3
      ) { _, _, _ in
        false
      }
      return "\(pruned.removed) \(pruned.cursor ?? 0)"
    }
    #expect(try step(.notifications, 0, Fixtures.noon) == "0 0")
    #expect(try step(.notifications, 0, Fixtures.noon + .hours(1)) == "3 3")
    #expect(try step(.notifications, 3, Fixtures.noon + .hours(1)) == "2 5")
    #expect(try step(.notifications, 5, Fixtures.noon + .hours(1)) == "0 0")
    #expect(try stage.counts().recent == 0)
  }

  /// Some of the rows are written while the clock is ahead.
  @Test(arguments: StoreKind.allCases)
  func `H7: rows from a future clock do not stop the pruning of others`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    for (key, hour) in [1, 500, 600, 2, 500, 8, 3, 9].enumerated() {
      let time = Fixtures.noon + .hours(hour)
      try stage.record(Fixtures.record(key: Int64(key)).at(time))
      try stage.take(Fixtures.event("\(key)", recipient: "amina"), received: time)
    }
    let age = Age(before: Fixtures.noon + .hours(4), now: Fixtures.noon + .hours(10))
    // The fourth event is the one by which the stage created amina.
    for (part, count) in [(RetentionPart.notifications, 3), (.events, 4)] {
      let found = try stage.read { reader in
        try reader.prunable(part, by: age, after: 0, limit: 10) { _, _, _ in false }.count
      }
      #expect(found == count)
      var removed = 0
      // In its first steps, a store may do other work and remove nothing.
      for _ in 0..<10 where removed < count {
        removed += try stage.store.prune(part, by: age, after: 0, limit: 10) { _, _, _ in false }
          .removed
      }
      #expect(removed == count)
    }
    let left = try stage.read { try $0.notifications(of: 1, after: 0, limit: 9).notifications }
    #expect(left.compactMap(\.identifier.last).sorted() == ["2", "3", "5", "6", "8"])
  }

  // MARK: - Analytics events

  /// Appends one analytics event for each time, given in hours after noon.
  private func appendAnalytics(
    _ stage: PortStage, named name: String = "dnd_enabled", _ hours: Int...
  ) throws {
    try stage.store.commit { transaction in
      for hour in hours {
        let event = AnalyticsEvent(
          time: Fixtures.noon + .hours(hour), name: name, parameters: Array("{}".utf8))
        try transaction.append([event], of: 1)
      }
    }
  }

  private func analyticsNumbers(_ stage: PortStage) throws -> [Int64] {
    try stage.read { try $0.analytics(of: nil, after: 0, limit: 99).map(\.number) }
  }

  @Test(arguments: StoreKind.allCases)
  func `M1: the analytics events after a cursor are counted`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    func backlog(
      _ cursor: Int64, _ limit: Int, _ part: AnalyticsPart = .all
    ) throws -> AnalyticsBacklog {
      try stage.read { try $0.analyticsBacklog(of: part, after: cursor, limit: limit) }
    }
    #expect(try backlog(0, 9) == AnalyticsBacklog())
    try appendAnalytics(stage, 3, 1, 2)
    let numbers = try analyticsNumbers(stage)
    let last = try #require(numbers.last)
    let noon = Fixtures.noon
    #expect(
      try backlog(numbers[0], 9)
        == AnalyticsBacklog(count: 2, oldest: noon + .hours(1), last: last))
    #expect(
      try backlog(0, 1) == AnalyticsBacklog(count: 1, oldest: noon + .hours(3), last: last))
    #expect(try backlog(last, 9) == AnalyticsBacklog(last: last))
  }

  @Test(arguments: StoreKind.allCases)
  func `M6: outcomes and other analytics events are counted separately`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    try appendAnalytics(stage, 3)
    try appendAnalytics(stage, named: NotificationOutcome.name, 1, 2)
    try appendAnalytics(stage, 4)
    let last = try #require(try analyticsNumbers(stage).last)
    func backlog(_ part: AnalyticsPart, _ limit: Int) throws -> AnalyticsBacklog {
      try stage.read { try $0.analyticsBacklog(of: part, after: 0, limit: limit) }
    }
    let noon = Fixtures.noon
    #expect(
      try backlog(.outcomes, 9)
        == AnalyticsBacklog(count: 2, oldest: noon + .hours(1), last: last))
    #expect(
      try backlog(.others, 9) == AnalyticsBacklog(count: 2, oldest: noon + .hours(3), last: last))
    #expect(
      try backlog(.others, 1) == AnalyticsBacklog(count: 1, oldest: noon + .hours(3), last: last))
    #expect(try backlog(.all, 9).count == 4)
  }

  @Test(arguments: StoreKind.allCases)
  func `M1: the cursor of the analytics route is stored`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    #expect(try stage.read { try $0.analyticsCursor() } == nil)
    try stage.store.commit { try $0.save(analyticsCursor: 7) }
    #expect(try stage.read { try $0.analyticsCursor() } == 7)
    try stage.store.commit { try $0.save(analyticsCursor: 9, of: .outcomes) }
    #expect(try stage.read { try $0.analyticsCursors() } == [.analytics: 7, .outcomes: 9])
    try stage.store.commit { try $0.save(analyticsCursor: nil) }
    #expect(try stage.read { try $0.analyticsCursor() } == nil)
    #expect(try stage.read { try $0.analyticsCursors() } == [.outcomes: 9])
  }

  /// An event from a future clock stays and does not stop the pruning of other events. An event
  /// that no sink has accepted stays for twice the retention.
  ///
  /// - Parameter count: How many events a sink has accepted; nil if no sink gets analytics events.
  @Test(arguments: StoreKind.allCases, [Int64?.none, 0, 2])
  func `H7: old analytics events are pruned`(_ kind: StoreKind, accepted count: Int64?) throws {
    let stage = try PortStage(kind, of: "amina")
    try appendAnalytics(stage, -20, 1, 500, 2, 3, 9, -9)
    let numbers = try analyticsNumbers(stage)
    if let count {
      let cursor = count == 0 ? 0 : numbers[Int(count) - 1]
      try stage.store.commit { transaction in
        try transaction.save(analyticsCursor: cursor)
        try transaction.save(analyticsCursor: numbers.last, of: .outcomes)
      }
    }
    let age = Age(before: Fixtures.noon + .hours(3), now: Fixtures.noon + .hours(10))
    let removedIndices = count == nil ? [0, 1, 3, 6] : count == 0 ? [0, 6] : [0, 1, 6]
    let found = try stage.read { reader in
      try reader.prunable(.analytics, by: age, after: 0, limit: 10) { _, _, _ in false }
    }
    #expect(found.count == removedIndices.count && found.oldest == Fixtures.noon - .hours(20))
    let pruned = try stage.store.prune(.analytics, by: age, after: 0, limit: 10) { _, _, _ in
      false
    }
    #expect(pruned.removed == removedIndices.count)
    let left = numbers.enumerated().filter { !removedIndices.contains($0.offset) }.map(\.element)
    #expect(try analyticsNumbers(stage) == left)
    // Numbers are not used again.
    try appendAnalytics(stage, 9)
    #expect(try analyticsNumbers(stage).last.map { $0 > numbers[6] } == true)
  }

  @Test(arguments: StoreKind.allCases)
  func `H7: a pruning step over analytics returns where to continue`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    try appendAnalytics(stage, 1, 2, 3, 4)
    let numbers = try analyticsNumbers(stage)
    let age = Age(before: Fixtures.noon + .hours(5), now: Fixtures.noon + .hours(10))
    func step(after cursor: Int64) throws -> Pruned {
      try stage.store.prune(.analytics, by: age, after: cursor, limit: 3) { _, _, _ in false }
    }
    let first = try step(after: 0)
    #expect(first.removed == 3 && first.cursor == numbers[2])
    let second = try step(after: numbers[2])
    #expect(second.removed == 1 && second.cursor == numbers[3])
    let third = try step(after: numbers[3])
    #expect(third.removed == 0 && third.cursor == nil)
  }

  @Test func `H7: a pruning step ends at the first young row after the last old one`() {
    let age = Age(before: Fixtures.noon, now: Fixtures.noon + .hours(2))
    func reach(_ hours: Int?...) -> Int {
      age.examinedCount(of: hours.map { $0.map { Fixtures.noon + .hours($0) } })
    }
    #expect(reach() == 0)
    #expect(reach(-2, -1) == 2)
    #expect(reach(-2, -1, 0, 1) == 2)
    #expect(reach(-2, 1, -1, 1) == 3)
    #expect(reach(5, nil, 5) == 3)
    #expect(reach(nil, 2, 5) == 1)
    #expect(reach(2, 5, 1) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `H7: old events are pruned together with their identities`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind)
    for hour in 1...3 {
      try stage.take(Fixtures.event("\(hour)"), received: Fixtures.noon + .hours(hour))
    }
    let end = Fixtures.noon + .hours(3)
    var (cursor, removed): (Int64, Int) = (0, 0)
    // In its first steps, a store may do other work and remove nothing.
    for _ in 0..<10 where removed < 2 {
      let pruned = try stage.store.prune(
        .events, by: Age(before: end, now: Fixtures.noon + .days(9)), after: cursor, limit: 10
      ) { _, _, _ in
        true
      }
      removed += pruned.removed
      cursor = pruned.cursor ?? 0
    }
    #expect(removed == 2)
    #expect(try stage.take(Fixtures.event("3")).isSame)
    #expect(try stage.take(Fixtures.event("1")).isNew)
    #expect(try stage.store.commit { try $0.orders(of: [Fixtures.event("1").identity]) } == [4])
  }
}

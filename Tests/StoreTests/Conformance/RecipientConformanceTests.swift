import CivilTime
import Reminders
import Store
import Testing

/// Every store's recipients and events.
@Suite struct RecipientConformanceTests {
  @Test(arguments: StoreKind.allCases)
  func `recipients are found by name and by row`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal", "chaima")
    var names: [String] = []
    try stage.read { reader in
      try reader.forEachRecipient(named: ["chaima", "nobody", "amina"]) {
        names.append($0.recipient.name)
      }
      #expect(names == ["amina", "chaima"])
      #expect(try reader.recipients(rows: [1, 3, 9]).map(\.recipient.name) == names)
      #expect(try reader.recipient(named: "bilal")?.row == 2)
      #expect(try reader.recipient(row: 4) == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `schedules are read in the order of rows`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    try stage.store.commit { transaction in
      let all = try transaction.recipients(rows: [1, 2])
      let schedules = [Schedule(due: Fixtures.noon, pending: 3), Schedule(due: nil, pending: 0)]
      try transaction.save(all, schedules)
      var seen: [String] = []
      try transaction.forEachSchedule(in: 0...9) {
        seen.append("\($0) \($1.pending) \($1.due != nil)")
      }
      #expect(seen == ["1 3 true", "2 0 false"])
    }
    for (rows, expected) in [(0...1, [1]), (2...2, [2]), (1...9, [1, 2]), (3...9, [])] {
      var seen: [UInt32] = []
      let range = UInt32(rows.lowerBound)...UInt32(rows.upperBound)
      try stage.read { try $0.forEachSchedule(in: range) { row, _ in seen.append(row) } }
      #expect(seen.map(Int.init) == expected)
    }
    #expect(try stage.read { try $0.recipient(row: 1)?.due } == Fixtures.noon)
  }

  @Test(arguments: StoreKind.allCases)
  func `D14: recipients are found by their telephone number`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal", "chaima")
    func report(_ text: String, of row: UInt32, order: Int64, isIndexed: Bool = true) throws {
      try stage.change(row) { transaction, stored in
        stored.report(phone: text, order: order)
        if isIndexed { try transaction.savePhone(stored.recipient.facts.phone, of: stored) }
      }
    }
    func expect(_ text: String, _ names: [String]) throws {
      let number = try #require(PhoneNumber(text))
      let found = try stage.read { try $0.recipients(with: number).map(\.recipient.name) }
      #expect(found == names, "\(text)")
    }
    try expect("+32 2 123 45 67", [])
    try report("+32 2 123 45 67", of: 2, order: 0)
    try report("+32 (2) 1234567", of: 1, order: 0)
    try expect("+3221234567", ["amina", "bilal"])
    try report("+49 30 123456", of: 1, order: 1)
    try expect("+3221234567", ["bilal"])
    try expect("+4930123456", ["amina"])
    // The profile decides, not the table.
    try report("+49 30 999999", of: 1, order: 2, isIndexed: false)
    try expect("+4930123456", [])
    try stage.erase(2)
    try expect("+3221234567", [])
    let erased = try #require(PhoneNumber("+3221234567"))
    #expect(try stage.read { try $0.rows(of: erased, limit: 9) } == [])
  }

  @Test(arguments: StoreKind.allCases)
  func `requests are read as they were written`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal", "chaima")
    func expect(_ count: Int, of name: String, including last: Int64?) throws {
      try stage.read { reader in
        let stored = try #require(try reader.recipient(named: name))
        let requests = stored.recipient.facts.requests
        #expect(requests.count == count && requests.rowsMissing == 0, "\(name)")
        if let last { #expect(requests[last]?.content.title == "No. \(last)", "\(name)") }
        let together = try reader.recipients(rows: [1, 2, 3])
        #expect(together.map(\.recipient).contains(stored.recipient))
        try reader.forEachRecipient(named: [name]) { #expect($0.recipient == stored.recipient) }
      }
    }
    try stage.change(1) { $1.request(1...500) }
    try stage.change(2) { $1.request(501...503) }
    try stage.change(3) { $1.request(504...600) }
    try expect(500, of: "amina", including: 500)
    try expect(3, of: "bilal", including: 502)
    try expect(97, of: "chaima", including: 504)
    // Settles the last requests, a single one near the start, and a run that includes a whole row.
    try stage.change(1) { $1.settle(Set(200...230).union([3, 499, 500])) }
    try expect(466, of: "amina", including: 498)
    try stage.change(1) { $1.settle(Set(1...497)) }
    try expect(1, of: "amina", including: 498)
    try stage.change(1) { $1.request(700...800) }
    try expect(102, of: "amina", including: 750)
    try stage.erase(1)
    #expect(try stage.read { try $0.recipient(named: "amina") } == nil)
    try expect(97, of: "chaima", including: 600)
  }

  @Test(arguments: StoreKind.allCases)
  func `E1: an event is new only once`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind)
    let event = Fixtures.event("1")
    let variants = [
      event, Fixtures.event("1", source: "other"), Fixtures.event("1", data: #"{"a":1}"#),
      Fixtures.event("1", recipient: "bilal"), Fixtures.event("1", time: Fixtures.noon + .hours(1)),
      Fixtures.event("e\u{301}"), Fixtures.event("\u{e9}"),
    ]
    try stage.take(event)
    try stage.take(Fixtures.event("\u{e9}"))
    try stage.store.commit { transaction in
      let lookups = try transaction.lookups(of: [Array(variants[..<3]), Array(variants[3...])])
      let words = try zip(variants, lookups).map { try word(transaction.match($0, at: $1)) }
      #expect(words == ["same", "new", "other", "other", "other", "new", "same"])
      #expect(try variants.map { try word(transaction.match($0, at: nil)) } == words)
    }
  }

  private func word(_ match: EventMatch) -> String {
    match.isNew ? "new" : match.isSame ? "same" : "other"
  }

  @Test(arguments: StoreKind.allCases)
  func `events are read from the latest backwards`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind)
    for number in 1...5 {
      let name = number == 3 ? "bilal" : "amina"
      try stage.take(
        Fixtures.event("\(number)", recipient: name),
        received: Fixtures.noon + .minutes(number))
    }
    try stage.read { reader in
      let first = try reader.events(of: 1, from: 5, limit: 3)
      #expect(first.events.map(\.identifier) == ["5", "4", "2"])
      #expect(first.next == 1)
      #expect(try reader.events(of: 1, from: 1, limit: 3).next == 0)
      #expect(try reader.events(of: 2, from: 5, limit: 3).events.isEmpty)
      let past = try reader.events(
        through: 5, receivedBy: Fixtures.noon + .minutes(4), limit: 10)
      #expect(past?.events.map(\.order) == [1, 2, 4])
      #expect(past?.isComplete == true)
      #expect(try reader.events(through: 5, receivedBy: Fixtures.noon, limit: 2)?.events == nil)
    }
    let events = try stage.store.commit { try $0.events(orders: [9, 4, 1]) }
    #expect(events.map(\.identifier) == ["4", "1"])
  }

  @Test(arguments: StoreKind.allCases)
  func `H4: erasing a recipient leaves nothing behind`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    try stage.record(
      Fixtures.record(key: 1), Fixtures.record(key: 1).on(.inapp, channels: .init(.inapp)))
    try stage.record(Fixtures.record(row: 2, key: 1))
    let delivery = try stage.delivery(1)
    try stage.save {
      $0.wait(Retry(sink: "one", delivery: delivery, attempts: 1), due: nil, reason: "r")
      $0.laterAttempts = [Attempt(of: delivery, by: "one", at: Fixtures.noon, .retry)]
    }
    try stage.store.commit {
      try $0.append(
        [AnalyticsEvent(time: Fixtures.noon, name: "a", parameters: [])], of: 1)
    }
    #expect(stage.store.erasureOpen == nil)
    try stage.erase(at: Fixtures.noon + .hours(1))
    #expect(stage.store.erasureOpen == Fixtures.noon + .hours(1))
    try stage.read { (reader) throws in
      #expect(try reader.recipient(named: "amina") == nil)
      #expect(try reader.recipient(row: 1) == nil)
      #expect(try reader.events(of: 1, from: 1, limit: 9).events.isEmpty)
      #expect(try reader.notifications([1, 2, 3]).keys.sorted() == [3])
      #expect(try reader.inbox(row: 1, after: nil, offset: 0, limit: 9).isEmpty)
      #expect(try reader.deadLetterCount() == 0)
      #expect(try reader.deliveryStates(of: [1])[1, default: []].isEmpty)
      #expect(try reader.analytics(of: nil, after: 0, limit: 9).isEmpty)
      #expect(try reader.notifications(of: 2, after: 0, limit: 9).last == 3)
    }
    #expect(try stage.store.commit { try $0.recorded(among: [1, 2, 3]) } == [3])
    #expect(try stage.store.finishErasure())
    #expect(!stage.store.isErasureOpen)
  }

  @Test(arguments: StoreKind.allCases)
  func `E12: texts about an erased person are emptied, and others stay`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    for key in Int64(1)...2 {
      try stage.record(Fixtures.record(key: key, title: "Own \(key)", isCommon: false))
    }
    try stage.record(Fixtures.record(key: 3, title: "Common"))
    _ = try stage.take(Fixtures.event("second of amina"))
    let data = Array(#"{"a":1}"#.utf8)
    try stage.store.commit { transaction in
      guard let stored = try transaction.recipient(named: "amina") else { throw Unexpected() }
      try transaction.eraseTexts(of: [1, 3], events: [1: data], of: stored)
    }
    try stage.read { (reader) throws in
      let messages = try reader.notifications(of: 1, after: 0, limit: 9).notifications.map(
        \.message)
      #expect(messages.map(\.title) == ["", "Own 2", "Common"])
      #expect(messages.map(\.body) == ["", "A note.", "A note."])
      #expect(messages.map(\.reminder) == ["note", "note", "note"])
      let events = try reader.events(of: 1, from: 3, limit: 9).events
      #expect(events.map { $0.data == data } == [false, true])
    }
    // A lane that reads its deliveries later gets the emptied text.
    let deliveries = try stage.store.commit {
      try $0.deliveries(after: 0, limit: 9, on: .all).deliveries
    }
    #expect(deliveries.map(\.title) == ["", "Own 2", "Common"])
  }

  @Test(arguments: StoreKind.allCases)
  func `H4: the time of an erasure and the identities of events stay`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    try stage.record(Fixtures.record(key: 1))
    try stage.erase(at: Fixtures.noon + .hours(1))
    let erasures = try stage.store.commit { try $0.erasures(of: ["amina", "bilal", "nobody"]) }
    #expect(erasures == ["amina": Fixtures.noon + .hours(1)])
    #expect(try stage.take(Fixtures.event("first of amina")).isSame)
    #expect(try stage.take(Fixtures.event("another")).isNew)
    // The row and the notification number of the erased recipient are not used again.
    #expect(try stage.read { try $0.recipient(named: "amina")?.row } == 3)
    #expect(try stage.record(Fixtures.record(row: 3, key: 1)) == [2])
    try stage.erase(3, at: Fixtures.noon)
    #expect(try stage.store.commit { try $0.erasures(of: ["amina"]) } == erasures)
  }

  @Test(arguments: StoreKind.allCases)
  func `cleaning does not end an erasure that began meanwhile`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    try stage.erase(1)
    let erasures = try stage.clean(with: stage.store.cleaner)
    try stage.erase(2)
    try stage.store.endErasures(erasures)
    #expect(stage.store.isErasureOpen)
    #expect(try stage.store.finishErasure())
    #expect(!stage.store.isErasureOpen)
  }

  @Test(arguments: StoreKind.allCases)
  func `a cleaner can end erasures that began after its creation`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    let cleaner = stage.store.cleaner
    for row in [1, 2] as [UInt32] {
      try stage.erase(row)
      try stage.store.endErasures(stage.clean(with: cleaner))
      #expect(!stage.store.isErasureOpen)
    }
  }
}

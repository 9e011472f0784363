#if DEBUG
  import CivilTime
  import JSON
  import Reminders
  import Testing

  /// Rule H6: a command about a digest (rule N9) costs work that is linear in its members. The
  /// tests count operations instead of time.
  @Suite struct DigestCostTests {
    private static let counts = (few: 180, many: 720)
    /// The allowed factor of work for four times as many members, with some extra for sorting.
    private static let growth = 4.5
    /// The first two loads have members that a vacation holds, the other two have members that a
    /// vacation will hold.
    private static let loads: [BusyRecipient.Load] = [
      .requestsHeld, .itemsHeld, .requestsTogether, .itemsTogether,
    ]

    private func expectLinear(
      _ load: BusyRecipient.Load, after prepare: (inout AwayRecipient) throws -> Void,
      _ body: (inout AwayRecipient) throws -> Void
    ) throws {
      func work(_ count: Int) throws -> Int {
        var away = try AwayRecipient(load, count: count)
        try prepare(&away)
        let meter = WorkMeter()
        try Work.$meter.withValue(meter) { try body(&away) }
        return meter.total
      }
      let (few, many) = (try work(Self.counts.few), try work(Self.counts.many))
      #expect(few > 0)
      #expect(Double(many) <= Self.growth * Double(few), "\(load): \(few), \(many)")
    }

    private func cancel(_ away: inout AwayRecipient) throws {
      try away.command("pending.cancelled")
    }

    @Test(arguments: loads)
    func `H6: cancelling a digest costs linear work`(load: BusyRecipient.Load) throws {
      func check(_ away: inout AwayRecipient) throws {
        try cancel(&away)
        #expect(away.progress.cancelled.count == away.count)
        #expect(away.progress.inProgress.isEmpty)
      }
      try expectLinear(load, after: { _ in }, check)
    }

    @Test(arguments: loads)
    func `H6: resuming a digest costs linear work`(load: BusyRecipient.Load) throws {
      func check(_ away: inout AwayRecipient) throws {
        try away.command("pending.resumed")
        #expect(away.progress.cancelled.isEmpty)
      }
      try expectLinear(load, after: cancel, check)
    }

    @Test(arguments: loads)
    func `H6: snoozing a digest costs linear work`(load: BusyRecipient.Load) throws {
      let end = try utc("2026-03-11 12:00")
      func check(_ away: inout AwayRecipient) throws {
        try away.command("pending.snoozed", ["until": .string(end.description)])
        #expect(away.progress.inProgress.count { $0.isSnoozed && $0.due == end } == away.count)
      }
      try expectLinear(load, after: { _ in }, check)
    }

    @Test(arguments: [BusyRecipient.Load.itemsHeld])
    func `H6: snoozing the members of a sent digest of reminders costs linear work`(
      load: BusyRecipient.Load
    ) throws {
      let end = try utc("2026-03-11 12:00")
      func check(_ away: inout AwayRecipient) throws {
        let snoozed = try away.recipientAfterSnoozing(until: end)
        #expect(snoozed.progress.inProgress.count { $0.isSnoozed && $0.due == end } == away.count)
      }
      try expectLinear(load, after: { $0.send() }, check)
    }

    @Test(arguments: [BusyRecipient.Load.requestsHeld, .itemsHeld])
    func `N8: snoozing a sent digest's members together has the same effect as one by one`(
      load: BusyRecipient.Load
    ) throws {
      var away = try AwayRecipient(load, count: 12)
      away.send()
      let end = try utc("2026-03-11 12:00")
      let together = try away.recipientAfterSnoozing(until: end)
      let single = try away.recipientAfterSnoozing(until: end, isOneByOne: true)
      #expect(together.progress.inProgress.count == 12)
      #expect(Set(together.progress.inProgress) == Set(single.progress.inProgress))
      #expect(together.facts == single.facts)
    }

    @Test(arguments: loads)
    func `N9: a digest that is cancelled and resumed is sent as before`(load: BusyRecipient.Load)
      throws
    {
      var away = try AwayRecipient(load, count: 12)
      let before = away.members
      try #require(before.count == 12)
      try cancel(&away)
      #expect(away.members.isEmpty)
      try away.command("pending.resumed")
      #expect(away.members == before)
    }

    @Test(arguments: loads)
    func `N9: cancelling a digest has the effect of cancelling each member`(
      load: BusyRecipient.Load
    ) throws {
      var (together, single) = (
        try AwayRecipient(load, count: 12), try AwayRecipient(load, count: 12)
      )
      try cancel(&together)
      for member in single.members {
        try single.command("pending.cancelled", of: member.reminder, member.key)
      }
      #expect(together.progress.cancelled.count == 12)
      #expect(Set(together.progress.cancelled) == Set(single.progress.cancelled))
      #expect(together.progress.inProgress == single.progress.inProgress)
    }
  }

  /// A recipient on vacation. When the vacation ends, many notifications are sent as one digest.
  private struct AwayRecipient {
    struct Member: Hashable {
      let reminder: Symbol
      let key: Int64
    }

    let count: Int
    private var person: BusyRecipient
    private let digest: PendingReminders.Digest

    init(_ load: BusyRecipient.Load, count: Int) throws {
      var person = try BusyRecipient(load, count: count)
      if !load.isHeld {
        person.take(try person.event("vacation.started", ["until": "2026-03-09"], id: "away"))
      }
      let digest = try #require(Self.digests(of: person).first)
      try #require(digest.members.count == count)
      (self.count, self.person, self.digest) = (count, person, digest)
    }

    var progress: Progress { person.recipient.progress }

    /// The members of the digest; empty if it is not pending.
    var members: Set<Member> {
      let digest = Self.digests(of: person).first { $0.firing.key == self.digest.firing.key }
      return Set((digest?.members ?? []).map { Member(reminder: $0.reminder, key: $0.key) })
    }

    private static func digests(of person: BusyRecipient) -> [PendingReminders.Digest] {
      person.recipient.pendingReminders(now: person.now, planner: person.planner).digests
    }

    mutating func send() { _ = person.fire(at: digest.firing.at) }

    mutating func command(_ type: String, _ data: JSONObject = [:]) throws {
      try command(type, data, of: Digest.symbol, digest.firing.key)
    }

    /// Checks a command, computes its consequences and applies it, as the service does.
    mutating func command(
      _ type: String, _ data: JSONObject = [:], of reminder: Symbol, _ key: Int64
    ) throws {
      let event = try event(type, data, of: reminder, key)
      try person.recipient.check(event, planner: person.planner)
      let consequences = person.recipient.consequences(
        of: [event], now: person.now, planner: person.planner)
      #expect(!consequences.changes.isEmpty)
      person.take(event)
    }

    private func event(
      _ type: String, _ data: JSONObject, of reminder: Symbol, _ key: Int64
    ) throws -> Event {
      let catalog = person.planner.catalog
      var data = data
      data["reminder"] = .string(catalog.reminder(reminder).map(catalog.name) ?? Digest.identifier)
      data["occurrence"] = .string("\(key)")
      return try person.event(type, .object(data), id: "\(type) of \(key)")
    }

    /// Returns the recipient after each member of the sent digest was snoozed.
    ///
    /// - Parameter isOneByOne: Whether each member is snoozed by a separate HTTP request.
    func recipientAfterSnoozing(until end: Instant, isOneByOne: Bool = false) throws -> Recipient {
      let (now, planner) = (digest.firing.at + .minutes(5), person.planner)
      var (intake, recipient) = (Intake(), person.recipient)
      for (number, member) in digest.members.enumerated() {
        let event = try event(
          "pending.snoozed", ["delivered": true, "until": .string(end.description)],
          of: member.reminder, member.key)
        let request = try request(of: member)
        try intake.check(event, reviving: request, of: recipient, now: now, planner: planner)
        let arrival = Arrival(event, order: 1 << 21 + Int64(number), request: request)
        intake.add(arrival, of: recipient, now: now, planner: planner)
        if isOneByOne { intake.fold(into: &recipient, now: now, planner: planner) }
      }
      intake.fold(into: &recipient, now: now, planner: planner)
      return recipient
    }

    /// Returns the request of a member, which the facts no longer contain; nil if an app did not
    /// request the member.
    private func request(of member: Pending) throws -> FinishedRequest? {
      guard case .request = person.planner.catalog.reminder(member.reminder)?.trigger else {
        return nil
      }
      return FinishedRequest(
        try person.request(Int(member.key), at: member.planned), order: member.key)
    }
  }
#endif

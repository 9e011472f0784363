import CivilTime
import JSON
import TestSupport
import Testing

@testable import Reminders

/// Rule V18: the operator's policies.
@Suite struct PolicyTests {
  private static let text = "hours: [{from: \"08:00\", to: \"21:00\", channels: [sms]}]"

  /// Returns a catalog with a daily reminder and requests by SMS, and perhaps by push.
  private static func catalog(
    _ policies: String = text, push: Bool = false, urgency: String = "normal",
    at times: String = "[\"22:00\"]", expires: String = "12h"
  ) -> String {
    """
    catalog: notes
    events: {visit: {visit: identifier, at: instant}}
    categories:
      NOTE: {title: Notes, urgency: \(urgency), channels: {push: \(push), sms: true, inapp: false}}
      VISIT: {title: Visits, urgency: high, channels: {sms: true}}
    groups:
      notes: {enabled: true}
    policies: {\(policies)}
    reminders:
      note:
        category: NOTE
        group: notes
        every: {day: {at: \(times)}}
        expires: \(expires)
        messages: [{title: Note, body: A note.}]
      ahead:
        category: VISIT
        group: notes
        before: {event: visit, at: at, by: 2h}
        expires: 12h
        messages: [{title: Visit, body: A visit.}]
    """
  }

  @Test func `V18: SMS waits until the operator's hours begin`() throws {
    try Diary.expect(
      """
      2026-03-02 12:00  event recipient.updated {"timezone": "UTC"}
      2026-03-02 23:00  restart
      2026-03-03 08:00  > note by sms of 2026-03-02 22:00 (policy_hours)
      2026-03-03 12:00  end
      """, catalog: Self.catalog())
  }

  @Test func `V18: hours follow the recipient's clock when it is set forward`() throws {
    // In New York, 8 March 2026 has 23 hours; 22:00 of the 7th is 03:00 in UTC.
    try Diary.expect(
      """
      2026-03-07 20:00  zone America/New_York
      2026-03-08 12:00  > note by sms of 2026-03-08 03:00 (policy_hours)
      2026-03-08 13:00  end
      """, catalog: Self.catalog())
  }

  @Test func `V18: another channel is used at once, without the closed one`() throws {
    try Diary.expect(
      """
      2026-03-02 12:00  event recipient.updated {"timezone": "UTC"}
      2026-03-02 20:00  > note by push+sms
      2026-03-02 22:00  > note
      2026-03-03 12:00  end
      """, catalog: Self.catalog(push: true, at: "[\"20:00\", \"22:00\"]"))
  }

  @Test func `V18: only a number or region of the policy counts`() throws {
    let policy =
      "hours: [{from: \"08:00\", to: \"21:00\", channels: [sms], phones: [\"+1\"], regions: [us]}]"
    try Diary.expect(
      """
      2026-03-02 12:00  event recipient.updated {"phone": "+49 30 1234567"}
      2026-03-02 22:00  > note by sms
      2026-03-03 12:00  event recipient.updated {"phone": "+1 555 123 4567"}
      2026-03-04 08:00  > note by sms of 2026-03-03 22:00 (policy_hours)
      2026-03-04 12:00  event recipient.updated {"phone": "+49 30 1234567", "holidays": "us-ca"}
      2026-03-04 23:00  event recipient.updated {"holidays": "DE"}
      2026-03-04 23:00  > note by sms of 2026-03-04 22:00 (policy_hours)
      2026-03-05 12:00  end
      """, catalog: Self.catalog(policy))
  }

  @Test func `V18: a policy does not hold other categories`() throws {
    let policy =
      "hours: [{from: \"08:00\", to: \"21:00\", channels: [sms], categories: [VISIT]}]"
    try Diary.expect(
      """
      2026-03-02 12:00  event recipient.updated {"timezone": "UTC"}
      2026-03-02 22:00  > note by sms
      2026-03-03 12:00  end
      """, catalog: Self.catalog(policy))
  }

  @Test func `V18: critical waits unless the policy lets it pass, mandatory never waits`() throws {
    let passing =
      "hours: [{from: \"08:00\", to: \"21:00\", channels: [sms], critical: pass}]"
    let held = "2026-03-03 08:00  > note by sms of 2026-03-02 22:00 (policy_hours)"
    // A mandatory notification is sent on all channels of its category.
    let mandatory = "2026-03-02 22:00  > note by push+sms\n2026-03-02 22:00  > note by inapp"
    for (policy, urgency, line) in [
      (Self.text, "critical", held), (passing, "critical", "2026-03-02 22:00  > note by sms"),
      (Self.text, "mandatory", mandatory),
    ] {
      try Diary.expect(
        """
        2026-03-02 12:00  event recipient.updated {"timezone": "UTC"}
        \(line)
        2026-03-03 12:00  end
        """, catalog: Self.catalog(policy, urgency: urgency))
    }
  }

  @Test func `V18: on days without hours everything waits for the next day with them`() throws {
    let policy =
      "hours: [{from: \"08:00\", to: \"21:00\", days: [mon, tue, wed, thu, fri], channels: [sms]}]"
    // 2026-03-07 is a Saturday.
    try Diary.expect(
      """
      2026-03-07 09:00  event notification.requested {"category": "VISIT", "title": "Call", \
      "body": "-", "expires": "3d"}
      2026-03-09 08:00  > notification.requested by sms of 2026-03-07 09:00 (policy_hours)
      2026-03-09 09:00  end
      """,
      catalog: Self.catalog(policy, at: "[\"12:00\"]", expires: "1h").replacing(
        "notes: {enabled: true}", with: "notes: {enabled: false}"))
  }

  @Test func `V18: quiet hours and policies hold in turn`() throws {
    try Diary.expect(
      """
      2026-03-02 12:00  quiet 21:30 07:00
      2026-03-03 08:00  > note by sms of 2026-03-02 22:00 (quiet_hours, policy_hours)
      2026-03-03 12:00  quiet 21:30 09:00
      2026-03-04 09:00  > note by sms of 2026-03-03 22:00 (quiet_hours, policy_hours)
      2026-03-04 12:00  end
      """, catalog: Self.catalog())
  }

  @Test func `V15: a visit before the hours is announced before they end`() throws {
    try Diary.expect(
      """
      2026-03-02 12:00  event visit {"visit": "v", "at": "2026-03-03T07:30:00Z"}
      2026-03-02 20:59  > ahead by sms of 2026-03-03 05:30 (policy_hours)
      2026-03-03 10:00  end
      """, catalog: Self.catalog(at: "[\"11:00\"]"))
  }

  @Test func `V18: the pending view shows the instant at which it is sent, and the explanation`()
    throws
  {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog()), now: try utc("2026-03-02 12:00"))
    try player.take("recipient.updated", ["timezone": "UTC"])
    let pending = player.recipient.pending(now: player.now, planner: player.planner)
    let release = try utc("2026-03-03 08:00")
    #expect(pending.first?.decision.at == release)
    let explanation = try #require(
      try player.recipient.explain(
        .pending(reminder: "note"), now: player.now, planner: player.planner
      ).first)
    #expect(explanation.decision.trace.reasons == ["policy_hours"])
    let step = explanation.rounds.first?.steps.first { $0.gate == .policyHours }
    #expect(step?.input == "the operator's closed hours 21:00-08:00 UTC")
    #expect(
      explanation.counterfactualText?.contains("if not for the operator's closed hours 21:00-08:00")
        == true
    )
    player.advance(to: release)
    #expect(player.entries.map(\.at) == [release])
  }

  @Test func `V18: a retry by SMS waits for the hours, one by push does not`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog(push: true)),
      now: try utc("2026-03-02 22:30"))
    try player.take("recipient.updated", ["timezone": "UTC"])
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    func attempt(_ channel: Channel) throws -> Instant {
      let delivery = Delivery(
        instance: "s", notification: 1, row: 1, recipient: "amina", channel: channel,
        isSilent: false, planned: player.now - .minutes(30), at: player.now - .minutes(30),
        expiry: player.now + .hours(11),
        message: Message(reminder: "note", category: "NOTE", title: "Note", body: "A note."))
      return context.decision(retrying: delivery, isReplaced: false, now: player.now).at
    }
    #expect(try attempt(.push) == player.now)
    #expect(try attempt(.sms) == utc("2026-03-03 08:00"))
  }

  /// Returns random hours, as a policy for SMS.
  private static func hours(_ random: inout SplitMix64) -> String {
    let from = LocalTime(minuteOfDay: Int.random(in: 0..<720, using: &random)) ?? .midnight
    let to = LocalTime(minuteOfDay: Int.random(in: 721...1_440, using: &random))
    let days = Weekday.allCases.filter { _ in Int.random(in: 0...3, using: &random) > 0 }
    let names = (days.isEmpty ? [Weekday.allCases[0]] : days).map(\.name)
    return "{from: \"\(from)\", to: \"\(to.map { "\($0)" } ?? "24:00")\", channels: [sms], "
      + "days: [\(names.joined(separator: ", "))]}"
  }

  @Test(arguments: Seeds.all)
  func `V18: the pending view shows the instant of sending, within all hours`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for zone in ["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia"] {
      let policies = [Self.hours(&random), Self.hours(&random)].joined(separator: ", ")
      let time = LocalTime(minuteOfDay: Int.random(in: 0..<1_440, using: &random)) ?? .midnight
      let catalog = Self.catalog("hours: [\(policies)]", at: "[\"\(time)\"]", expires: "3d")
      // Clocks change on 8 March in New York, and on 29 March in Berlin.
      let start = try utc("2026-03-06 12:00") + .hours(Int.random(in: 0..<600, using: &random))
      var player = Player(planner: try Fixtures.planner(catalog: catalog), now: start)
      try player.take("recipient.updated", ["timezone": .string(zone)])
      try player.take(
        "preferences.updated",
        ["quietHours": ["enabled": true, "start": "21:00", "end": "07:00"]])
      let pending = try #require(
        player.recipient.pending(now: start, planner: player.planner).first)
      player.advance(to: start + .days(6))
      let entry = try #require(player.entries.first { $0.key == pending.key })
      #expect(pending.decision.outcome == entry.outcome, "\(zone) \(policies) \(time) \(start)")
      guard entry.outcome == .delivered else { continue }
      #expect(pending.decision.at == entry.at, "\(zone) \(policies) \(time) \(start)")
      let local = try Fixtures.zone(zone)
      for hours in player.planner.catalog.policies.hours {
        let closed = QuietHours(
          isEnabled: true, start: .midnight, end: .midnight, others: hours.closedWindows)
        #expect(closed.windowEnd(at: entry.at, in: local) == nil, "\(zone) \(policies)")
      }
    }
  }

  private static let fallbacks = """
    catalog: notes
    categories:
      DOSE:
        title: Doses
        urgency: critical
        channels: {push: true, sms: false, email: fallback}
        fallback: [sms]
    groups: {doses: {enabled: true}}
    policies: {\(text)}
    reminders:
      dose:
        category: DOSE
        group: doses
        every: {day: {at: ["20:00", "22:00"]}}
        expires: 2h
        messages: [{title: Dose, body: "-"}]
    """

  @Test func `V18: without a device, the fallback that is allowed is used`() throws {
    try Diary.expect(
      """
      2026-03-02 12:00  event recipient.updated {"phone": "+15551234567", "email": "a@b.org"}
      2026-03-02 20:00  > dose by sms
      2026-03-02 22:00  > dose by email
      2026-03-03 12:00  end
      """, catalog: Self.fallbacks, requirements: [.push: .device])
  }

  @Test func `V18: after a failure the fallback that is allowed is first`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.fallbacks), now: try utc("2026-03-02 12:00"))
    try player.take("recipient.updated", ["phone": "+15551234567", "email": "a@b.org"])
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    let delivery = Delivery(
      instance: "s", notification: 1, row: 1, recipient: "amina", channel: .push, isSilent: false,
      planned: player.now, at: player.now, expiry: player.now + .hours(12),
      message: Message(reminder: "dose", category: "DOSE", title: "Dose", body: "-"))
    func fallbacks(at instant: Instant) -> [Channel] {
      context.fallbacks(of: delivery, at: instant).filter { $0 != .push }
    }
    #expect(fallbacks(at: player.now) == [.sms, .email])
    #expect(fallbacks(at: player.now + .hours(10)) == [.email, .sms])
  }

  @Test func `V18: an event that was accepted before a policy can be read again`() throws {
    let planner = try Fixtures.planner(catalog: Self.catalog("caps: {perDay: 6}"))
    let event = try EventReader(planner: planner).event(
      [
        "specversion": "1.0", "id": "1", "source": "test", "type": "preferences.updated",
        "subject": "amina", "data": ["caps": ["perDay": 10]],
      ], now: utc("2026-03-02 11:00"))
    #expect(throws: Refusal.self) {
      try Recipient(name: "amina", now: event.time).check(event, planner: planner)
    }
  }

  // MARK: - Caps

  @Test func `V18: the operator's cap applies to recipients without one`() throws {
    let catalog = Self.catalog(
      "caps: {perDay: 1}", at: "[\"12:00\", \"13:00\"]", expires: "2h")
    try Diary.expect(
      """
      2026-03-02 11:00  event recipient.updated {"timezone": "UTC"}
      2026-03-02 12:00  > note by sms
      2026-03-02 15:00:00.001  x note by sms of 2026-03-02 13:00 (daily_cap, expired)
      2026-03-02 16:00  end
      """, catalog: catalog)
  }

  @Test(
    arguments: [
      (["perDay": 3], nil), (["perDay": .null], nil), (["minInterval": "PT1H"], nil),
      (["minInterval": .null], nil),
      (["perDay": 7], "must be at most 6, as the operator requires; it is 7"),
      (["minInterval": "PT15M"], "must be at least 30m, as the operator requires; it is 15m"),
      (["minInterval": "PT0S"], "must be at least 30m, as the operator requires; it is 0s"),
    ] as [(JSONValue, String?)])
  func `V18: a preference may be stricter than the operator's limit, not looser`(
    caps: JSONValue, refusal: String?
  ) throws {
    let catalog = Self.catalog("caps: {perDay: 6, minInterval: 30m}")
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 11:00"))
    var reason: String?
    do { try player.take("preferences.updated", ["caps": caps]) } catch let error as Refusal {
      reason = error.reason
    }
    #expect(reason == refusal)
    let settings = PlanningContext(facts: player.recipient.facts, planner: player.planner).settings
    #expect(settings.capPerDay == (caps["perDay"] == 3 ? 3 : 6))
    #expect(settings.minimumInterval == (caps["minInterval"] == "PT1H" ? .hours(1) : .minutes(30)))
  }

  @Test func `V18: a cap that was looser before the policy is limited by it`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog()), now: try utc("2026-03-02 11:00"))
    try player.take("preferences.updated", ["caps": ["perDay": 10]])
    player.change(to: try Fixtures.planner(catalog: Self.catalog("caps: {perDay: 6}")))
    let settings = PlanningContext(facts: player.recipient.facts, planner: player.planner).settings
    #expect(settings.capPerDay == 6)
  }

  @Test func `V18: of several policies the strictest counts`() throws {
    func source(_ name: String, _ policies: String) -> CatalogSource {
      CatalogSource(
        file: "\(name).yaml",
        text: "catalog: \(name)\ncategories: {}\nreminders: {}\npolicies: {\(policies)}")
    }
    let catalog = try Catalog(reading: [
      source("one", "caps: {perDay: 6, minInterval: 15m}"), source("two", "caps: {perDay: 4}"),
      source("three", "caps: {perDay: 5, minInterval: 20m}, \(Self.text)"),
    ])
    #expect(catalog.policies.capPerDay == 4)
    #expect(catalog.policies.minimumInterval == 1_200_000)
    #expect(catalog.policies.hours.count == 1)
  }

  // MARK: - Mistakes

  @Test(arguments: [
    ("hours: {from: 1}", "\"hours\" must be a list"),
    (
      "hours: [{from: \"21:00\", to: \"08:00\", channels: [sms]}]",
      "the hours must end after they begin at 21:00; they are in the recipient's day"
    ),
    (
      "hours: [{from: \"00:00\", to: \"24:00\", channels: [sms]}]",
      "from 00:00 to 24:00 on all days allows everything; remove these hours"
    ),
    (
      "hours: [{from: \"08:00\", to: \"21:00\", channels: [inapp]}]",
      "inapp does not interrupt, so it has no hours; remove it"
    ),
    (
      "hours: [{from: \"08:00\", to: \"21:00\", channels: []}]",
      "\"channels\" must be a list of at least one entry"
    ),
    (
      "hours: [{from: \"08:00\", to: \"21:00\", channels: [sms], categories: [NOT]}]",
      "the category \"NOT\" is not declared; did you mean \"NOTE\"?"
    ),
    (
      "hours: [{from: \"08:00\", to: \"21:00\", channels: [sms], phones: [\"1\"]}]",
      "a beginning of telephone numbers is + and 1 to 15 digits, such as \"+1\"; it is \"1\""
    ),
    (
      "hours: [{from: \"08:00\", to: \"21:00\", channels: [sms], critical: drop}]",
      "\"critical\" must be hold or pass; it is \"drop\""
    ),
    (
      "hours: [{from: \"08:00\", to: \"21:00\", channels: [sms], regions: [USA]}]",
      "a region is a country such as US, or a part such as US-CA; it is \"USA\""
    ),
    ("caps: {perDay: 0}", "perDay must be from 1 to 1000; it is 0"),
    ("caps: {minInterval: 2d}", "minInterval must be from 1m to 1d; it is 2d"),
    (
      "cap: {}",
      "the policies has no \"cap\"; did you mean \"caps\"? (known: hours, caps, "
        + "defaults)"
    ),
  ])
  func `V18: a faulty policy is reported with its place`(policies: String, fault: String) throws {
    let error = #expect(throws: CatalogErrors.self) {
      try Fixtures.read(Self.catalog(policies))
    }
    let lines = error?.description.split(separator: "\n") ?? []
    #expect(lines.count == 1 && lines[0].hasPrefix("test.yaml:8:"), "\(lines)")
    #expect(lines.first?.contains(fault) == true, "\(lines)")
  }
}

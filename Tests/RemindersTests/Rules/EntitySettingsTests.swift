import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule P10: settings for one entity of a reminder, such as one trial or one medicine.
@Suite struct EntitySettingsTests {
  private static let catalog = Fixtures.catalog(
    events: "{trial: {trial: identifier, name: text, ends: instant}, kept: {trial: identifier}, "
      + "medicine: {medicine: identifier, plan: plan?}, course: {course: identifier}}",
    groups: "notes: {enabled: true, time: '09:00', times: ['08:00', '20:00']}\n"
      + "others: {enabled: true}",
    reminders: [
      "ends": "before: {event: trial, at: ends, days: 1, time: $time}, cancel: kept, "
        + "messages: [{title: '{{name}}', body: b}]",
      "dose": "since: medicine, every: {plan: plan, at: $times}, "
        + "messages: [{title: '{{medicine}}', body: b}]",
      "day": "every: {day: {at: '12:00'}}, since: course, group: others",
    ])

  private static func expect(_ script: String) throws {
    try Diary.expect(script, catalog: catalog)
  }

  private static func user() throws -> FormUser {
    var user = try FormUser(Fixtures.planner(catalog: catalog))
    for name in ["a", "b"] {
      try user.player.take(
        "trial",
        ["trial": .string(name), "name": .string(name), "ends": "2026-03-10T15:00:00Z"])
    }
    return user
  }

  private static func items(_ settings: JSONValue) -> JSONValue {
    ["reminders": ["notes": ["items": settings]]]
  }

  // MARK: - Muting

  @Test func `P10: a muted entity is silent, and others are not`() throws {
    try Self.expect(
      """
      2026-03-02 09:00  event trial {"trial": "a", "name": "A", "ends": "2026-03-05T15:00:00Z"}
      2026-03-02 09:00  event trial {"trial": "b", "name": "B", "ends": "2026-03-05T15:00:00Z"}
      2026-03-02 10:00  prefs {"reminders": {"notes": {"items": {"a": {"enabled": false}}}}}
      2026-03-02 11:00  restart
      2026-03-04 09:00  > ends "B"
      2026-03-06 09:00  end
      """)
  }

  @Test func `P10: a muted medicine and a muted course are silent`() throws {
    try Self.expect(
      """
      2026-03-02 07:00  event medicine {"medicine": "m"}
      2026-03-02 07:00  event medicine {"medicine": "n", "plan": {"times": ["10:00"]}}
      2026-03-02 07:00  event course {"course": "c"}
      2026-03-02 08:00  > dose "m"
      2026-03-02 09:00  prefs {"reminders": {"notes": {"items": {"m": {"enabled": false}}}}}
      2026-03-02 10:00  > dose "n"
      2026-03-03 10:00  > dose "n"
      2026-03-03 11:00  prefs {"reminders": {"notes": {"items": {"m": null}}}}
      2026-03-03 12:00  > day
      2026-03-03 13:00  prefs {"reminders": {"others": {"items": {"c": {"enabled": false}}}}}
      2026-03-03 20:00  > dose "m"
      2026-03-04 08:00  > dose "m"
      2026-03-04 10:00  > dose "n"
      2026-03-04 13:00  end
      """)
  }

  @Test func `P10: an occurrence due while its entity is muted is not sent later`() throws {
    try Self.expect(
      """
      2026-03-02 07:00  event trial {"trial": "a", "name": "A", "ends": "2026-03-05T15:00:00Z"}
      2026-03-02 07:00  event medicine {"medicine": "m", "plan": {"times": ["10:00"]}}
      2026-03-02 08:00  prefs {"reminders": {"notes": {"items": {"m": {"enabled": false}}}}}
      2026-03-02 08:00  prefs {"reminders": {"notes": {"items": {"a": {"enabled": false}}}}}
      2026-03-04 10:30  prefs {"reminders": {"notes": {"items": {"m": null, "a": null}}}}
      2026-03-05 10:00  > dose "m"
      2026-03-05 16:00  end
      """)
  }

  @Test func `P10: the switch of the group silences entities that are on`() throws {
    try Self.expect(
      """
      2026-03-02 07:00  event medicine {"medicine": "m", "plan": {"times": ["10:00"]}}
      2026-03-02 08:00  prefs {"reminders": {"notes": {"items": {"m": {"enabled": true}}}}}
      2026-03-02 08:00  off notes
      2026-03-03 11:00  on notes
      2026-03-04 10:00  > dose "m"
      2026-03-04 11:00  end
      """)
  }

  @Test func `P10: muting ends an occurrence that quiet hours hold`() throws {
    try Self.expect(
      """
      2026-03-02 07:00  quiet 08:30 12:00
      2026-03-02 07:00  event medicine {"medicine": "m", "plan": {"times": ["10:00"]}}
      2026-03-02 07:00  event medicine {"medicine": "n", "plan": {"times": ["10:00"]}}
      2026-03-02 11:00  prefs {"reminders": {"notes": {"items": {"m": {"enabled": false}}}}}
      2026-03-02 12:00  > dose of 2026-03-02 10:00 (quiet_hours) "n"
      2026-03-02 13:00  end
      """)
  }

  @Test func `P10: a muted entity is open and is not forgotten`() throws {
    var user = try Self.user()
    try user.write(Self.items(["a": ["enabled": false]]), as: .own)
    let open = user.context.openItems(user.player.recipient.progress)
    #expect(open.count == 2)
  }

  // MARK: - Times

  @Test func `P10: an entity has its own time of day`() throws {
    try Self.expect(
      """
      2026-03-02 09:00  event trial {"trial": "a", "name": "A", "ends": "2026-03-05T15:00:00Z"}
      2026-03-02 09:00  event trial {"trial": "b", "name": "B", "ends": "2026-03-05T15:00:00Z"}
      2026-03-02 10:00  prefs {"reminders": {"notes": {"items": {"a": {"time": "11:15"}}}}}
      2026-03-02 10:00  prefs {"reminders": {"notes": {"time": "07:00"}}}
      2026-03-04 07:00  > ends "B"
      2026-03-04 11:15  > ends "A"
      2026-03-04 12:00  prefs {"reminders": {"notes": {"items": {"a": {"time": "13:00"}}}}}
      2026-03-06 09:00  end
      """)
  }

  @Test func `P10: the own times of a medicine apply if its event has no plan`() throws {
    try Self.expect(
      """
      2026-03-02 07:00  event medicine {"medicine": "m"}
      2026-03-02 07:00  event medicine {"medicine": "n", "plan": {"times": ["10:00"]}}
      2026-03-02 07:00  prefs {"reminders": {"notes": {"items": {"m": {"times": ["09:00"]}}}}}
      2026-03-02 07:00  prefs {"reminders": {"notes": {"items": {"n": {"times": ["09:00"]}}}}}
      2026-03-02 09:00  > dose "m"
      2026-03-02 10:00  > dose "n"
      2026-03-02 21:00  end
      """)
  }

  // MARK: - Channels

  @Test func `P10: an entity's channels replace those of its category`() throws {
    var user = try Self.user()
    try user.write(Self.items(["a": ["channels": ["sms"]]]), as: .own)
    user.player.advance(to: try utc("2026-03-09 10:00"))
    #expect(user.sent == ["a sms", "b push"])
  }

  @Test(arguments: [
    (#"{"channels": {"sms": false}}"#, ["b push"]), (#"{"master": false}"#, []),
    (#"{"channels": {"push": false}}"#, ["a sms"]),
    (#"{"categories": {"NOTE": {"push": false}}}"#, []),
    (#"{"categories": {"NOTE": {"email": true}}}"#, ["a sms", "b push,email"]),
    (#"{"reminders": {"notes": {"enabled": false}}}"#, []),
    (#"{"reminders": {"notes": {"items": {"a": {"channels": null}}}}}"#, ["a push", "b push"]),
  ])
  func `P10: the switches above an entity silence its channels`(
    document: String, sent: [String]
  ) throws {
    var user = try Self.user()
    try user.write(Self.items(["a": ["channels": ["sms"]]]), as: .own)
    try user.write(JSONParser.parse(document), as: .own)
    let pending = user.player.recipient.pending(now: user.player.now, planner: user.player.planner)
    user.player.advance(to: try utc("2026-03-09 10:00"))
    #expect(user.sent == sent)
    #expect(pending.count == sent.count)
    #expect(user.player.entries.allSatisfy { $0.outcome == .delivered })
  }

  @Test func `P10: no other channel replaces an entity's own one`() throws {
    let catalog = Self.catalog.replacing("sms: false}}", with: "sms: false}, fallback: [email]}")
    for (settings, expected): (JSONValue, ChannelSet) in [
      (["a": ["channels": ["sms"]]], []), (["a": ["enabled": true]], ChannelSet(.email)),
    ] {
      var player = Player(
        planner: try Fixtures.planner(
          catalog: catalog, requirements: [.push: .device, .sms: .phone]),
        now: try utc("2026-03-02 09:00"))
      try player.take("medicine", ["medicine": "a"])
      try player.take("preferences.updated", Self.items(settings))
      let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
      let reminder = try #require(context.catalog.reminder(Symbol("dose")))
      let next = try #require(
        context.next(reminder, after: player.now, progress: player.recipient.progress))
      #expect(context.reach(of: reminder, key: next.key) == expected)
    }
  }

  @Test(arguments: [
    ("push: true, sms: false", "sms", ["sms"]),
    ("inapp: true, push: true, email: true, sms: false", "sms", ["sms"]),
    ("push: true, email: true", "", []),
  ])
  func `P10: an entity keeps its channels if a catalog offers others`(
    offered: String, sent: String, shown: [String]
  ) throws {
    var user = try Self.user()
    try user.write(Self.items(["a": ["channels": ["sms"]]]), as: .own)
    let facts = try user.player.recipient.facts.encoded.withUnsafeBytes {
      try Facts(decoding: $0)
    }
    let context = PlanningContext(
      facts: facts,
      planner: try Fixtures.planner(
        catalog: Self.catalog.replacing("push: true, email: false, sms: false", with: offered)))
    let reminder = try #require(context.catalog.reminder(Symbol("ends")))
    let channels = context.channels(of: reminder, context.choices(reminder, about: "a"))
    #expect(channels.channels.map(\.name).joined() == sent)
    #expect(context.sendsNothing(reminder, about: "a") == sent.isEmpty)
    #expect(!context.sendsNothing(reminder, about: "b"))
    #expect(context.mutedWords(of: reminder).isEmpty != sent.isEmpty)
    let document = PreferencesDocument(context).stored
    #expect(
      document.value(at: "reminders.notes.items.a.channels")
        == .array(shown.map { .string($0) }))
    let export = PreferencesExport(context)
    let changes = try export.changes(importing: export.document)
    #expect(changes.filter { $0.entity != nil }.map(\.value) == (sent.isEmpty ? [0] : []))
  }

  @Test func `P10: a channel that only replaces others does not keep a category on`() throws {
    let catalog = Self.catalog.replacing("email: false", with: "email: fallback")
    var user = try FormUser(Fixtures.planner(catalog: catalog))
    try user.player.take("trial", ["trial": "a", "name": "a", "ends": "2026-03-10T15:00:00Z"])
    try user.write(Self.items(["a": ["channels": ["sms"]]]), as: .own)
    try user.write(["categories": ["NOTE": ["push": false]]], as: .own)
    user.player.advance(to: try utc("2026-03-09 10:00"))
    #expect(user.player.entries.isEmpty)
  }

  @Test func `P10: held occurrences with channels of their own are sent alone`() throws {
    var user = try FormUser(Fixtures.planner(catalog: Self.catalog))
    user.player.advance(to: try utc("2026-03-03 07:00"))
    try user.write(["quietHours": ["enabled": true, "start": "08:30", "end": "12:00"]], as: .own)
    for name in ["a", "b", "c", "d", "e", "f"] {
      try user.player.take(
        "medicine", ["medicine": .string(name), "plan": ["times": ["10:00"]]])
    }
    for name in ["a", "b", "c"] {
      try user.write(Self.items([name: ["channels": ["sms"]]]), as: .own)
    }
    user.player.advance(to: try utc("2026-03-03 13:00"))
    let channels = user.player.entries.filter { $0.outcome == .delivered }
      .map { $0.channels.channels.map(\.name).joined() }
    #expect(channels.sorted() == ["push", "sms", "sms", "sms"])
  }

  @Test(arguments: [(["push"], []), (["push", "email"], [Channel.email])])
  func `P10: a digest does not use a fallback that was excluded for an entity`(
    own: [String], fallbacks: [Channel]
  ) throws {
    let catalog = Self.catalog.replacing("sms: false}}", with: "sms: false}, fallback: [email]}")
    var user = try FormUser(Fixtures.planner(catalog: catalog))
    try user.player.take("medicine", ["medicine": "a"])
    let now = user.player.now
    func digest(planned: Instant, at instant: Instant) -> Delivery {
      Delivery(
        instance: "s", notification: 1, row: 1, recipient: "amina", channel: .push,
        isSilent: false, planned: planned, at: instant, expiry: now + .hours(12),
        message: Message(
          reminder: "digest", category: "NOTE", title: "3", body: "a, b, c", members: ["dose"]))
    }
    let delivery = digest(planned: now - .hours(1), at: now)
    // The channel that has failed is in the list too; the outbox has tried it already.
    #expect(user.context.fallbacks(of: delivery, at: now) == [.email, .push])
    try user.write(
      Self.items(["a": ["channels": .array(own.map { .string($0) })]]), as: .own)
    #expect(user.context.fallbacks(of: delivery, at: now) == fallbacks + [.push])
    // A later digest of held occurrences does not contain the entity; one of missed notifications
    // may contain it.
    let later = now + .hours(2)
    let held = digest(planned: now + .hours(1), at: later)
    #expect(user.context.fallbacks(of: held, at: later) == [.email, .push])
    let missed = digest(planned: later, at: later)
    #expect(user.context.fallbacks(of: missed, at: later) == fallbacks + [.push])
  }

  @Test func `H27: unsubscribing ends the e-mail of entities, and that of a fallback`() throws {
    var user = try Self.user()
    try user.write(
      Self.items(["a": ["channels": ["email"]], "b": ["channels": ["push", "email"]]]), as: .own)
    let category = try #require(user.context.catalog.categories.first { $0.name == "NOTE" })
    let changes = user.context.changesEndingEmail(of: category)
    #expect(changes.count == 3)
    try user.take(changes)
    #expect(
      try user.document(.own).value(at: "reminders.notes.items")
        == ["a": ["channels": []], "b": ["channels": ["push"]]])
    #expect(user.context.changesEndingEmail(of: category).isEmpty)
    user.player.advance(to: try utc("2026-03-09 10:00"))
    #expect(user.sent == ["b push"])
  }

  // MARK: - Views

  @Test func `P10: an explanation names the settings of an entity`() throws {
    var user = try Self.user()
    try user.write(
      Self.items(["a": ["channels": ["sms"], "time": "10:00"], "b": ["enabled": false]]), as: .own)
    let explanations = try user.player.recipient.explain(
      .pending(reminder: "ends"), now: user.player.now, planner: user.player.planner)
    #expect(
      explanations.map(\.entitySettings) == [
        "set by the recipient: reminders.notes.items.a.time is \"10:00\", "
          + "reminders.notes.items.a.channels is [\"sms\"]"
      ])
    try user.write(Self.items(["a": ["enabled": false]]), as: .own)
    let refusal = #expect(throws: Refusal.self) {
      try user.player.recipient.explain(
        .pending(reminder: "ends"), now: user.player.now, planner: user.player.planner)
    }
    #expect(refusal?.reason.contains("reminders.notes.items.a.enabled is false") == true)
  }

  @Test func `P10: a dry run shows what a setting of an entity changes`() throws {
    let user = try Self.user()
    func consequences(_ settings: JSONValue) throws -> Consequences {
      try user.consequences(of: Self.items(settings))
    }
    let muted = try consequences(["a": ["enabled": false]])
    #expect(muted.changes.map(\.kind) == [.cancelled])
    #expect(muted.changes.map(\.reasons) == [["switched_off"]])
    let moved = try consequences(["a": ["time": "10:30"]])
    #expect(moved.changes.map(\.kind) == [.moved])
    let other = try consequences(["a": ["channels": ["sms", "email"]]])
    #expect(
      other.warnings == ["ends of 2026-03-09 09:00 will use email, sms instead of push"])
    #expect(try consequences(["z": ["enabled": false]]).changes.isEmpty)
  }

  @Test func `P10: a dry run names the channels that an entity leaves for another group`() throws {
    let catalog = Self.catalog.replacing("sms: false}}", with: "sms: false, inapp: false}}")
    var user = try FormUser(Fixtures.planner(catalog: catalog))
    try user.player.take("trial", ["trial": "a", "name": "a", "ends": "2026-03-10T15:00:00Z"])
    let moved = try user.consequences(of: Self.items(["a": ["channels": ["inapp"]]]))
    #expect(moved.changes.map(\.kind) == [.cancelled, .added])
    #expect(moved.changes.first?.reasons == ["category"])
    #expect(moved.warnings == ["ends of 2026-03-09 09:00 will use inapp instead of push"])
  }

  @Test func `P10: settings of entities are exported, imported and reset`() throws {
    var user = try Self.user()
    try user.write(
      Self.items(["a.b": ["enabled": false, "time": "10:00"], "c": ["channels": ["email"]]]),
      as: .own)
    let document = try user.document(.own)
    #expect(
      document.value(at: "reminders.notes.items")
        == ["a.b": ["enabled": false, "time": "10:00"], "c": ["channels": ["email"]]])
    #expect(try user.write(.object(document), as: .own).settings.isEmpty)
    #expect(try user.document(.own) == document)
    let export = PreferencesExport(user.context).document
    try user.take(PreferencesExport(user.context).resetChanges)
    #expect(try user.document(.own).value(at: "reminders.notes.items") == nil)
    try user.write(Self.items(["d": ["enabled": false]]), as: .own)
    try user.take(PreferencesExport(user.context).changes(importing: export))
    #expect(try user.document(.own) == document)
    try user.write(Self.items(["a.b": ["time": .null]]), as: .own)
    #expect(
      try user.document(.own).value(at: "reminders.notes.items")
        == ["a.b": ["enabled": false], "c": ["channels": ["email"]]])
  }

  // MARK: - Limits

  private static let mistakes: [(JSONValue, path: String)] = [
    ([], "data.reminders.notes.items"), (["": ["enabled": true]], "data.reminders.notes.items"),
    (["a\u{1}": ["enabled": true]], "data.reminders.notes.items"),
    (["a": false], "data.reminders.notes.items.a"),
    (["a": ["enabled": "no"]], "data.reminders.notes.items.a.enabled"),
    (["a": ["times": "9"]], "data.reminders.notes.items.a.times"),
    (["a": ["time": "9:00"]], "data.reminders.notes.items.a.time"),
    (["a": ["channels": ["inapp"]]], "data.reminders.notes.items.a.channels"),
    (["a": ["sound": true]], "data.reminders.notes.items.a.sound"),
  ]

  @Test(arguments: Self.mistakes)
  func `P10: a mistake is refused with its place and changes nothing`(
    settings: JSONValue, path: String
  ) throws {
    var user = try Self.user()
    let facts = user.player.recipient.facts
    let refusal = #expect(throws: Refusal.self) {
      try user.player.take("preferences.updated", Self.items(settings))
    }
    #expect(refusal?.path == path)
    #expect(user.player.recipient.facts == facts)
  }

  @Test func `P10: a group without entities has no settings of them`() throws {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-02 09:00"))
    let refusal = #expect(throws: Refusal.self) {
      try player.take(
        "preferences.updated", ["reminders": ["checkin": ["items": ["a": ["enabled": false]]]]])
    }
    #expect(refusal?.path == "data.reminders.checkin.items")
  }

  @Test func `P10: a recipient has settings of at most 64 entities`() throws {
    var user = try Self.user()
    func mute(_ number: Int, _ value: JSONValue, _ user: inout FormUser) throws {
      try user.player.take("preferences.updated", Self.items(["e\(number)": value]))
    }
    for number in 0..<64 { try mute(number, ["enabled": false], &user) }
    let refusal = #expect(throws: Refusal.self) { try mute(64, ["enabled": false], &user) }
    #expect(refusal?.kind == .overfull)
    try mute(5, ["enabled": true, "time": "10:00"], &user)
    try mute(5, .null, &user)
    try mute(64, ["enabled": false], &user)
    #expect(user.entityCount == 64)
    // Removed settings are forgotten beyond a number.
    for number in 100..<300 {
      try mute(10, .null, &user)
      try mute(number, ["enabled": false], &user)
      try mute(number, .null, &user)
      try mute(10, ["enabled": false], &user)
    }
    #expect(user.player.recipient.facts.entitySettings.count < 400)
    #expect(user.entityCount == 64)
  }

  @Test func `P10: removed settings are forgotten, whether or not they had a value`() throws {
    var user = try Self.user()
    let all: JSONValue = [
      "enabled": true, "time": "10:00", "times": ["10:00"], "channels": ["push"],
    ]
    for name in (0..<128).map({ "e\($0)" }) {
      try user.player.take("preferences.updated", Self.items([name: all]))
      try user.player.take("preferences.updated", Self.items([name: .null]))
    }
    #expect(user.player.recipient.facts.entitySettings.count == 256)
  }

  @Test func `P10: settings that the catalog no longer declares do not count`() throws {
    var user = try Self.user()
    for number in 0..<64 {
      try user.player.take("preferences.updated", Self.items(["e\(number)": ["enabled": false]]))
    }
    let course: JSONValue = ["reminders": ["others": ["items": ["c": ["enabled": false]]]]]
    let refusal = #expect(throws: Refusal.self) {
      try user.player.take("preferences.updated", course)
    }
    #expect(refusal?.kind == .overfull)
    let catalog = Fixtures.catalog(
      events: "{course: {course: identifier}}", groups: "others: {enabled: true}",
      reminders: ["day": "every: {day: {at: '12:00'}}, since: course, group: others"])
    user.player.change(to: try Fixtures.planner(catalog: catalog))
    try user.player.take("preferences.updated", course)
    #expect(user.player.recipient.facts.entitySettings.count == 65)
  }

  @Test func `P10: a setting ends when its entity is forgotten`() throws {
    var user = try Self.user()
    try user.write(
      Self.items(["a": ["enabled": false], "early": ["enabled": false]]), as: .own)
    func report(_ name: String, _ end: String) throws {
      try user.player.take(
        "trial", ["trial": .string(name), "name": "n", "ends": .string(end)])
    }
    // The setting of an entity that has not been reported yet is kept for 45 days.
    user.player.advance(to: try utc("2026-04-10 09:00"))
    try report("other", "2026-04-12T15:00:00Z")
    #expect(user.player.recipient.facts.entitySettings.map(\.identifier) == ["a", "early"])
    try report("early", "2026-08-12T15:00:00Z")
    user.player.advance(to: try utc("2026-06-10 09:00"))
    try report("other", "2026-06-12T15:00:00Z")
    #expect(user.player.recipient.facts.entitySettings.map(\.identifier) == ["early"])
  }

  @Test func `E1: the latest setting of an entity wins in every order of arrival`() throws {
    let reader = EventReader(planner: try Fixtures.planner(catalog: Self.catalog))
    let documents: [JSONValue] = [
      ["a": ["enabled": false, "time": "10:00"]], ["a": ["enabled": true]], ["a": .null],
      ["a": ["time": "11:00"], "b": ["enabled": false]],
    ]
    let events = try documents.enumerated().map { index, settings in
      try reader.event(
        [
          "specversion": "1.0", "id": .string("\(index)"), "source": "t",
          "type": "preferences.updated", "subject": "amina",
          "time": .string("2026-03-02T09:0\(index):00Z"), "data": Self.items(settings),
        ], now: nil)
    }
    func facts(_ order: [Int]) -> Facts {
      var facts = Facts()
      for index in order { facts.fold(events[index], order: Int64(index), memory: nil) }
      return facts
    }
    let expected = facts([0, 1, 2, 3])
    #expect(expected.entitySettings.compactMap(\.value) == [660, 0])
    for order in [[3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1], [0, 3, 1, 2, 3]] {
      #expect(facts(order) == expected, "\(order)")
    }
    #expect(try expected.encoded.withUnsafeBytes { try Facts(decoding: $0) } == expected)
    #expect(expected.preferencesVersion == 3)
  }

  @Test func `G11: a parameter cannot have the name of the settings of entities`() throws {
    let catalog = Fixtures.catalog(
      groups: "notes: {enabled: true, items: 3}", reminders: ["day": "every: {day: {at: '12:00'}}"])
    let errors = #expect(throws: CatalogErrors.self) { try Fixtures.read(catalog) }
    #expect(errors?.diagnostics.count == 1)
  }
}

extension FormUser {
  /// The titles and channels of the sent notifications.
  fileprivate var sent: [String] {
    player.entries.filter { $0.outcome == .delivered }.map { entry in
      "\(entry.title) \(entry.channels.channels.map(\.name).joined(separator: ","))"
    }.sorted()
  }

  /// Returns the consequences of a preferences document that is not written.
  fileprivate func consequences(of document: JSONValue) throws -> Consequences {
    let event = try EventReader(planner: player.planner).event(
      [
        "specversion": "1.0", "id": "x", "source": "t", "type": "preferences.updated",
        "subject": "amina", "data": document,
      ], now: player.now)
    return player.recipient.consequences(of: [event], now: player.now, planner: player.planner)
  }

  fileprivate var entityCount: Int {
    player.recipient.facts.configuredEntityCount(in: player.planner.catalog.settings)
  }
}

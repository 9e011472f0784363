import CivilTime
import JSON
import Outbox
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// Rules E12, G17 and G18: messages about a recipient to the people who have a role.
@Suite struct RelayTests {
  static let catalog = """
    catalog: care
    roles: [carer, midwife]
    events:
      medicine.planned: {medicine: identifier, name: text, secret: text?, schedule: plan?}
      dose.taken: {medicine: identifier, from: recipient}
      dose.missed: {from: recipient}
    categories:
      DOSE: {title: Doses, urgency: critical, channels: {push: true, sms: true}}
      CARE: {title: Care, urgency: normal, channels: {push: true}, withdraw: true}
    groups:
      doses: {enabled: true}
    reminders:
      dose:
        category: DOSE
        group: doses
        channels: push
        since: medicine.planned
        every: {plan: schedule}
        unless: dose.taken
        expires: 3h
        escalate:
          - {after: 15m, channels: sms}
          - after: 45m
            to: carer
            category: CARE
            messages:
              - title: "{{subject.name}}"
                body: "{{name}} is not confirmed."
                locales: {de: {title: "{{subject.name}}", body: "{{name}} ist offen."}}
        messages: [{title: Dose, body: "{{name}}"}]
      quiet-days:
        to: midwife
        category: CARE
        group: doses
        idle: {event: dose.taken, days: 2}
        expires: 1d
        messages: [{title: No doses, body: "for {{days}} days"}]
      missed:
        to: midwife
        category: CARE
        group: doses
        every: {day: {at: "20:00"}}
        having: {event: dose.missed, within: 1d, times: 2}
        expires: 1h
        messages: [{title: Missed, body: "{{subject.name}} missed two doses."}]
    """

  private let stage: Stage
  private var events: [Event] = []

  init() throws {
    stage = try Stage(catalog: Self.catalog, at: "2026-03-02 06:00")
    try stage.take("recipient.updated", ["name": "Amina"])
    try stage.take("recipient.updated", ["name": "Carla", "locale": "de"], of: "carla")
  }

  private func relate(_ person: String = "carla", role: String = "carer") throws {
    try stage.take(
      "relation.added", ["person": .string(person), "role": .string(role), "consent": "both"])
  }

  private func plan() throws {
    try stage.take(
      "medicine.planned",
      [
        "medicine": "a", "name": "Iron", "secret": "anaemia", "schedule": ["times": ["08:00"]],
      ])
  }

  /// Runs until the carer has got a message about an unanswered dose.
  private func sendMessage() throws {
    try relate()
    try plan()
    try stage.run(to: "2026-03-02 12:00")
  }

  /// Runs until the carer's quiet hours hold such a message.
  private func holdMessage() throws {
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "08:30", "end": "09:30"]], of: "carla")
    try relate()
    try plan()
    try stage.run(to: "2026-03-02 09:00")
  }

  private func lines(of recipient: String? = nil) -> [String] {
    stage.delivered.filter { recipient == nil || $0.recipient == recipient }.map {
      "\($0.at.description.dropFirst(8).prefix(8)) \($0.recipient) \($0.channel.name) "
        + "\($0.title): \($0.body)"
    }
  }

  // MARK: - Relations

  @Test func `G17: a step to another person is sent with both consents, in their language`()
    throws
  {
    try sendMessage()
    #expect(
      lines() == [
        "02T08:00 amina push Dose: Iron", "02T08:15 amina sms Dose: Iron",
        "02T08:45 carla push Amina: Iron ist offen.",
      ])
  }

  @Test func `G17: an answer before a step ends the steps`() throws {
    try relate()
    try plan()
    try stage.run(to: "2026-03-02 08:20")
    try stage.take("dose.taken", ["medicine": "a"])
    try stage.run(to: "2026-03-02 12:00")
    #expect(lines(of: "carla").isEmpty)
  }

  @Test(arguments: [0, 1, 2, 3])
  func `E12: nothing is sent without both consents`(case number: Int) throws {
    if number == 1 { try stage.take("relation.added", ["person": "carla", "role": "carer"]) }
    if number == 2 {
      try stage.take("relation.added", ["of": "amina", "role": "carer"], of: "carla")
    }
    if number == 3 { try relate(role: "midwife") }
    try plan()
    try stage.run(to: "2026-03-02 12:00")
    #expect(lines(of: "carla").isEmpty)
  }

  @Test(arguments: [false, true])
  func `E12: each of the two consents for themselves, in either order`(isReversed: Bool) throws {
    let acts: [() throws -> Void] = [
      { try stage.take("relation.added", ["person": "carla", "role": "carer"]) },
      { try stage.take("relation.added", ["of": "amina", "role": "carer"], of: "carla") },
    ]
    for act in isReversed ? acts.reversed() : acts {
      try act()
      try stage.crash()
    }
    try plan()
    try stage.run(to: "2026-03-02 12:00")
    #expect(lines(of: "carla").count == 1)
  }

  @Test(arguments: ["nora", "amina"])
  func `E12: a consent counts that was reported before the other person was known`(first: String)
    throws
  {
    let isByPerson = first == "nora"
    let data: [JSONValue] = [
      ["of": "amina2", "role": "carer"], ["person": "nora", "role": "carer"],
    ]
    let names = ["nora", "amina2"]
    let order = isByPerson ? [0, 1] : [1, 0]
    for index in order {
      try stage.take("relation.added", data[index], of: names[index])
      try stage.run(to: stage.now + .minutes(1))
    }
    for name in names {
      let facts = try #require(try stage.stored(name)).recipient.facts
      #expect(facts.relations.map(\.isActive) == [true], "\(name)")
    }
  }

  @Test(arguments: [false, true])
  func `E12: a removal by either ends the relation, also for a message that waits`(
    isByPerson: Bool
  ) throws {
    try holdMessage()
    #expect(try stage.agenda(of: "carla")?.entries.count == 1)
    if isByPerson {
      try stage.take("relation.removed", ["of": "amina", "role": "carer"], of: "carla")
    } else {
      try stage.take("relation.removed", ["person": "carla", "role": "carer"])
    }
    #expect(try stage.agenda(of: "carla")?.entries.count == 0)
    try stage.run(to: "2026-03-03 12:00")
    #expect(lines(of: "carla").isEmpty)
    // One consent does not restore what two have made.
    try stage.take("relation.added", ["person": "carla", "role": "carer"])
    try stage.run(to: "2026-03-04 12:00")
    #expect(lines(of: "carla").isEmpty)
  }

  @Test func `E12: a recipient's own report makes no other recipient known`() throws {
    try stage.take("relation.added", ["person": "nora", "role": "carer"])
    #expect(try stage.stored("nora") == nil)
    try relate("dora")
    #expect(try stage.stored("dora") != nil)
  }

  // MARK: - Messages

  @Test func `G17: a message waits for its reminder, and is late if the reminder is`() throws {
    try stage.take("preferences.updated", ["quietHours": ["allowCritical": false]])
    try stage.take(
      "preferences.updated", ["quietHours": ["enabled": true, "start": "07:30", "end": "09:30"]])
    try sendMessage()
    #expect(
      lines() == [
        "02T09:30 amina sms Dose: Iron", "02T10:15 carla push Amina: Iron ist offen.",
      ])
  }

  @Test func `G17: after a downtime the time to answer counts from the late reminder`() throws {
    try relate()
    try plan()
    try stage.run(to: "2026-03-02 07:00")
    try stage.restart(at: try utc("2026-03-02 08:50"))
    try stage.turn()
    try stage.run(to: "2026-03-02 12:00")
    #expect(
      lines() == [
        "02T08:50 amina sms Dose: Iron", "02T09:35 carla push Amina: Iron ist offen.",
      ])
  }

  @Test(arguments: ["master", "category", "busy"])
  func `G17: nothing is sent about a reminder that was switched off`(case name: String) throws {
    try relate()
    try plan()
    try stage.take(
      "preferences.updated",
      name == "master"
        ? ["master": false] : ["categories": ["DOSE": ["push": false, "sms": false]]])
    if name == "busy" {
      try stage.run(to: "2026-03-02 08:30")
      try stage.take("recipient.updated", ["locale": "en"])
    }
    try stage.run(to: "2026-03-02 12:00")
    #expect(lines().isEmpty)
  }

  @Test func `D16: a muted entity of a person with relations withdraws nothing`() throws {
    let catalog = Self.catalog.replacing("sms: true}}", with: "sms: true}, withdraw: true}")
    let stage = try Stage(catalog: catalog, at: "2026-03-02 06:00")
    stage.sink = NamedSink(name: "one", canWithdraw: true)
    try stage.restart()
    try stage.take(
      "relation.added", ["person": "carla", "role": "carer", "consent": "both"])
    try stage.take(
      "medicine.planned", ["medicine": "a", "name": "Iron", "schedule": ["times": ["08:00"]]])
    try stage.run(to: "2026-03-02 08:01")
    try stage.take(
      "preferences.updated", ["reminders": ["doses": ["items": ["a": ["enabled": false]]]]])
    #expect(stage.attempts.map(\.isWithdrawal) == [false])
    try stage.take("preferences.updated", ["reminders": ["doses": ["items": ["a": .null]]]])
    try stage.take("dose.taken", ["medicine": "a"])
    #expect(stage.attempts.map(\.isWithdrawal) == [false, true])
  }

  @Test(arguments: [true, false])
  func `G17: a message that waits ends with the group and the series`(isGroup: Bool) throws {
    try holdMessage()
    try stage.take(
      isGroup ? "preferences.updated" : "pending.cancelled",
      isGroup
        ? ["reminders": ["doses": ["enabled": false]]] : ["reminder": "dose", "series": true])
    #expect(try stage.agenda(of: "carla")?.entries.count == 0)
    try stage.run(to: "2026-03-02 12:00")
    #expect(lines(of: "carla").isEmpty)
  }

  @Test(arguments: [["enabled": false], ["channels": []]] as [JSONValue])
  func `G17: a message that waits ends with a setting that silences its entity`(
    setting: JSONValue
  ) throws {
    try holdMessage()
    try stage.take("preferences.updated", ["reminders": ["doses": ["items": ["a": setting]]]])
    #expect(try stage.agenda(of: "carla")?.entries.count == 0)
    try stage.run(to: "2026-03-03 12:00")
    #expect(lines(of: "carla").isEmpty)
  }

  @Test func `G17: a message that waits ends with the occurrence`() throws {
    try holdMessage()
    try stage.take("dose.taken", ["medicine": "a"])
    #expect(try stage.agenda(of: "carla")?.entries.count == 0)
    try stage.run(to: "2026-03-02 12:00")
    #expect(lines(of: "carla").isEmpty)
  }

  @Test func `G17: a vacation of the carer drops a message instead of holding it`() throws {
    try stage.take("vacation.started", ["until": "2026-03-04"], of: "carla")
    try relate()
    try plan()
    try stage.run(to: "2026-03-02 09:00")
    #expect(try stage.agenda(of: "carla")?.entries.count == 0)
    try stage.run(to: "2026-03-05 08:40")
    #expect(lines(of: "carla").isEmpty)
  }

  @Test func `G17: a message contains no other field than its text`() throws {
    try sendMessage()
    let facts = try #require(try stage.stored("carla")).recipient.facts
    let texts = facts.items.flatMap(\.details).map { "\($0.value)" }
    #expect(texts.contains { $0.contains("Iron") })
    #expect(!texts.contains { $0.contains("anaemia") })
  }

  @Test func `G17: a crash after the decision sends nothing twice`() throws {
    try relate()
    try plan()
    try stage.run(to: "2026-03-02 08:45")
    try stage.crash()
    try stage.run(to: "2026-03-02 12:00")
    #expect(Set(lines(of: "carla")).count == 1)
    #expect(Set(stage.delivered.filter { $0.recipient == "carla" }.map(\.identifier)).count == 1)
  }

  @Test func `G18: a role may get a reminder about idle days and repeated events`() throws {
    try relate(role: "midwife")
    try stage.take("dose.missed")
    try stage.take("dose.missed")
    try stage.run(to: "2026-03-05 12:00")
    #expect(
      lines(of: "carla") == [
        "02T20:00 carla push Missed: Amina missed two doses.",
        "04T06:00 carla push No doses: for 2 days",
      ])
    #expect(lines(of: "amina").isEmpty)
  }

  @Test(
    arguments: [
      ["reminders": ["doses": ["items": ["z": ["enabled": true]]]]],
      ["reminders": ["doses": ["items": ["z": .null]]]], ["categories": ["CARE": ["push": false]]],
    ] as [JSONValue])
  func `G18: settings of entities leave messages to other people on`(settings: JSONValue) throws {
    try relate()
    try plan()
    try stage.take(
      "preferences.updated", ["reminders": ["doses": ["items": ["z": ["enabled": false]]]]])
    try stage.take("preferences.updated", settings)
    try stage.run(to: "2026-03-02 12:00")
    #expect(lines(of: "carla").count == 1)
  }

  // MARK: - Second rounds

  /// Snoozes the delivered dose by half an hour at 09:00, after the carer has got a message.
  private func snoozeDose() throws {
    try relate()
    try plan()
    try stage.run(to: "2026-03-02 09:00")
    let key = try #require(stage.delivered.first).key
    try stage.take(
      "pending.snoozed",
      [
        "reminder": "dose", "occurrence": .string("\(key)"), "delivered": true, "for": "30m",
      ])
  }

  @Test(arguments: [false, true])
  func `G17: an unanswered second round sends another message`(isCrashed: Bool) throws {
    try snoozeDose()
    if isCrashed { try stage.crash() }
    try stage.run(to: "2026-03-02 10:15")
    if isCrashed { try stage.crash() }
    try stage.run(to: "2026-03-02 12:00")
    let first = [
      "amina push Dose: Iron", "amina sms Dose: Iron", "carla push Amina: Iron ist offen.",
    ]
    let times = ["08:00", "08:15", "08:45", "09:30", "09:45", "10:15"]
    #expect(
      Set(lines()) == Set(zip(times, first + first).map { "02T\($0) \($1)" }))
    #expect(Set(stage.delivered.map(\.identifier)).count == 6)
  }

  @Test func `G18: all views show the messages of both rounds`() throws {
    try snoozeDose()
    try stage.run(to: "2026-03-02 12:00")
    let received = try #require(try stage.history(of: "carla"))
    #expect(received.entries.map(\.state) == [.accepted, .accepted])
    #expect(received.counts.recent == 2)
    for identifier in received.entries.map(\.identifier) {
      guard
        case .found(let history) = try stage.query(NotificationQuery(of: "carla", identifier))
      else {
        Issue.record("\(identifier) is not found")
        continue
      }
      let past = history.recipient.explain(
        history.notification, events: history.events, planner: stage.planner)
      #expect(past.rounds != nil, "\(identifier)")
    }
    let sent = try #require(try stage.history { ($0.part, $0.states) = (.all, nil) })
    #expect(
      sent.entries.map(\.message.reminder) == [
        "dose+step2", "dose+step1", "dose", "dose+step2", "dose+step1", "dose",
      ])
    #expect(sent.entries.map(\.isDismissed) == [false, false, false, true, true, true])
  }

  @Test func `N8: a snooze after a message to another person counts its own notifications alone`()
    throws
  {
    try stage.take(
      "medicine.planned",
      ["medicine": "b", "name": "Zinc", "schedule": ["times": ["08:50"]]])
    try snoozeDose()
    // The dose of the other medicine is still recent.
    #expect(try stage.history()?.counts.recent == 1)
  }

  @Test func `G17: a second round waits while the first message waits, and both end together`()
    throws
  {
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "08:30", "end": "11:00"]], of: "carla")
    try snoozeDose()
    try stage.run(to: "2026-03-02 10:30")
    #expect(try stage.agenda(of: "carla")?.entries.count == 1)
    try stage.take("dose.taken", ["medicine": "a"])
    #expect(try stage.agenda(of: "carla")?.entries.count == 0)
    try stage.run(to: "2026-03-02 12:00")
    #expect(lines(of: "carla").isEmpty)
  }

  // MARK: - Erasure

  @Test(arguments: ["amina", "carla"])
  func `E12: erasing either person ends the relation and its waiting messages`(name: String) throws
  {
    try holdMessage()
    try stage.take("recipient.deleted", of: name)
    let other = name == "amina" ? "carla" : "amina"
    let facts = try #require(try stage.stored(other)).recipient.facts
    #expect(facts.relations.isEmpty)
    #expect(!facts.items.contains { "\($0.details)".contains("Amina") })
    try stage.run(to: "2026-03-03 12:00")
    #expect(lines(of: "carla").isEmpty)
    #expect(try stage.stored(name) == nil)
  }

  @Test func `E12: erasing the subject erases the texts that a carer has got`() throws {
    try sendMessage()
    func texts() throws -> String {
      let notifications = try #require(
        try stage.query(ExportQuery(of: "carla", .notifications(after: 0)))
      ).notifications.map { "\($0.message.title) \($0.message.body) \($0.message.details)" }
      let data = try stage.events(of: "carla").filter { $0.type.contains("dose") }
        .map { String(decoding: $0.data, as: UTF8.self) }
      return (notifications + data).joined(separator: "\n")
    }
    #expect(try texts().contains("Iron ist offen.") && texts().contains(#"{"about":"amina"}"#))
    try stage.take("recipient.deleted")
    #expect(try !texts().contains("Iron") && !texts().contains("mina"))
    try stage.run(to: "2026-03-03 12:00")
    #expect(lines(of: "carla").count == 1)
  }

  @Test func `E12: a text that waits in a sink's queue is not sent after the subject's erasure`()
    throws
  {
    stage.sink = NamedSink(window: 1)
    try stage.restart()
    try relate()
    try plan()
    try stage.take(
      "medicine.planned",
      ["medicine": "b", "name": "Zinc", "schedule": ["times": ["08:00"]]])
    try stage.run(to: "2026-03-02 08:44")
    stage.reply = nil
    // One of two messages is in flight, the other one waits in memory.
    try stage.run(to: "2026-03-02 08:45")
    try stage.take("recipient.deleted")
    stage.reply = Stage.accepting
    try stage.answer()
    try stage.run(to: "2026-03-02 12:00")
    #expect(stage.attempts.count { $0.recipient == "carla" } == 1)
  }

  @Test func `E12: a text that is due at the instant of the subject's erasure is not sent`() throws
  {
    try holdMessage()
    // The carer's quiet hours end now.
    stage.set(clock: try utc("2026-03-02 09:30"))
    try stage.take("recipient.deleted")
    try stage.run(to: "2026-03-02 12:00")
    #expect(stage.attempts.allSatisfy { $0.recipient != "carla" })
  }

  // MARK: - Views

  @Test func `G18: the recipient's history has the message without channels`() throws {
    try relate()
    try plan()
    try stage.run(to: "2026-03-02 08:30")
    let pending = try #require(try stage.agenda()).entries
    #expect(pending.contains { $0.reminder == "dose+step2" })
    try stage.run(to: "2026-03-02 09:00")
    let page = try #require(
      try stage.query(ExportQuery(of: "amina", .notifications(after: 0))))
    let step = try #require(page.notifications.first { $0.message.reminder == "dose+step2" })
    #expect(step.channels.isEmpty && step.outcome == .delivered)
    #expect(step.message.title == "Amina")
  }

  @Test func `G17: simulate shows the message of a second round as the service sends it`() throws {
    let planner = stage.planner
    let start = try utc("2026-03-02 06:00")
    let live = try Stage(planner: planner, at: "2026-03-02 06:00")
    var events: [Event] = []
    func submit(_ type: String, of name: String, _ minutes: Int, _ data: JSONValue) throws {
      let event = try Fixtures.event(
        "\(events.count)", type, of: name, at: start + .minutes(minutes), data, planner: planner)
      events.append(event)
      try live.run(to: event.time)
      #expect(try live.submit([event]).map(\.word) == ["accepted"])
    }
    try submit("recipient.updated", of: "amina", 0, ["name": "Amina"])
    try submit("recipient.updated", of: "carla", 1, ["name": "Carla", "locale": "de"])
    try submit(
      "relation.added", of: "amina", 2, ["person": "carla", "role": "carer", "consent": "both"])
    try submit(
      "medicine.planned", of: "amina", 3,
      ["medicine": "a", "name": "Iron", "schedule": ["times": ["08:00"]]])
    try live.run(to: "2026-03-02 08:30")
    let key = try #require(live.delivered.first).key
    try submit(
      "pending.snoozed", of: "amina", 180,
      [
        "reminder": "dose", "occurrence": .string("\(key)"), "delivered": true, "for": "30m",
      ])
    let end = try utc("2026-03-02 12:00")
    try live.run(to: end)
    let simulated = try simulatedTimeline(events, planner, until: end)
    #expect(try live.timeline == simulated)
    #expect(simulated.count { $0.contains(" carla dose+step2>carer push >") } == 2)
  }

  @Test(arguments: [false, true])
  func `G17: simulate shows the messages as the service sends them`(isHeld: Bool) throws {
    let planner = stage.planner
    let start = try utc("2026-03-02 06:00")
    func event(_ id: String, _ type: String, of name: String, _ minutes: Int, _ data: JSONValue)
      throws -> Event
    {
      try Fixtures.event(id, type, of: name, at: start + .minutes(minutes), data, planner: planner)
    }
    let events = try [
      event("1", "recipient.updated", of: "amina", 0, ["name": "Amina"]),
      event("2", "recipient.updated", of: "carla", 0, ["name": "Carla", "locale": "de"]),
      event(
        "3", "relation.added", of: "amina", 1,
        ["person": "carla", "role": "carer", "consent": "both"]),
      event(
        "4", "medicine.planned", of: "amina", 2,
        ["medicine": "a", "name": "Iron", "schedule": ["times": ["08:00"]]]),
      event("5", "dose.taken", of: "amina", 60 * 24 + 200, ["medicine": "a"]),
      event("6", "relation.removed", of: "carla", 60 * 50, ["of": "amina", "role": "carer"]),
      event(
        "7", "preferences.updated", of: "amina", 0,
        [
          "quietHours": [
            "enabled": .bool(isHeld), "start": "07:30", "end": "08:20", "allowCritical": false,
          ]
        ]),
    ].sorted { $0.time < $1.time }
    let live = try Stage(planner: planner, at: "2026-03-02 06:00")
    for event in events {
      try live.run(to: event.time)
      _ = try live.submit([event])
    }
    let end = try utc("2026-03-05 12:00")
    try live.run(to: end)
    let simulated = try simulatedTimeline(events, planner, until: end)
    #expect(try live.timeline == simulated)
    #expect(simulated.contains { $0.contains(" carla dose+step2>carer push >") })
  }
}

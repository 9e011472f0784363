import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// E-mail that is collected for a day or a week, as the recipient has chosen.
@Suite struct CollectionTests {
  private static let catalog = """
    catalog: notes
    events: {done: {}}
    categories:
      NOTE: {title: Notes, channels: {push: true, email: true, inapp: false}}
      LETTER: {title: Letters, channels: {email: true}}
      URGENT: {title: Urgent, urgency: high, channels: {push: true, email: true}}
    groups:
      notes: {enabled: true, time: "12:00"}
    reminders:
      note:
        category: NOTE
        group: notes
        every: {day: {at: $time}}
        unless: done
        expires: 2h
        messages: [{title: Note, body: A note.}]
    """

  @Test func `e-mail waits for the morning, and other channels do not`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  prefs {"email": {"frequency": "daily"}}
      2026-03-02 12:00  > note
      2026-03-03 08:00  > note by email of 2026-03-02 12:00 (email_frequency)
      2026-03-03 12:00  > note
      2026-03-03 13:00  prefs {"email": {"frequency": "immediate"}}
      2026-03-03 13:00  > note by email of 2026-03-03 12:00 (email_frequency)
      2026-03-04 12:00  > note by push+email
      2026-03-04 12:30  end
      """, catalog: Self.catalog)
  }

  /// Collected e-mail does not expire before it is sent; two or more notifications are sent as one
  /// message.
  @Test func `weekly e-mail is one message at the day and time that the recipient set`() throws {
    try Diary.expect(
      """
      2026-03-04 07:00  prefs {"email": {"frequency": "weekly", "day": "sat", "time": "18:00"}}
      2026-03-04 12:00  > note
      2026-03-05 12:00  > note
      2026-03-05 13:00  say {"category": "LETTER", "title": "Dear you", "body": "-"}
      2026-03-05 14:00  restart
      2026-03-06 12:00  > note
      2026-03-07 12:00  > note
      2026-03-07 18:00  > digest by email of 2026-03-04 12:00 (email_frequency) "5 reminders"
      2026-03-07 18:00  + note by email of 2026-03-04 12:00 (email_frequency)
      2026-03-07 18:00  + note by email of 2026-03-05 12:00 (email_frequency)
      2026-03-07 18:00  + note by email of 2026-03-06 12:00 (email_frequency)
      2026-03-07 18:00  + note by email of 2026-03-07 12:00 (email_frequency)
      2026-03-07 18:00  + notification.requested by email of 2026-03-05 13:00 (email_frequency)
      2026-03-07 19:00  end
      """, catalog: Self.catalog)
  }

  /// Samoa had no Friday, 30 December 2011.
  @Test func `weekly e-mail waits another week if the zone skips the chosen weekday`() throws {
    try Diary.expect(
      """
      2011-12-27 19:00  zone Pacific/Apia
      2011-12-27 19:00  off notes
      2011-12-27 19:00  prefs {"email": {"frequency": "weekly", "day": "fri", "time": "08:00"}}
      2011-12-27 20:00  say {"category": "LETTER", "title": "Dear you", "body": "-"}
      2012-01-05 18:00  > notification.requested by email of 2011-12-27 20:00 (email_frequency)
      2012-01-07 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `an occurrence of high urgency is not collected`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  prefs {"email": {"frequency": "weekly"}}
      2026-03-02 08:00  off notes
      2026-03-02 09:00  say {"category": "URGENT", "title": "Now", "body": "-"}
      2026-03-02 09:00  > notification.requested by push+email
      2026-03-03 12:00  end
      """, catalog: Self.catalog)
  }

  @Test func `quiet hours hold collected e-mail, and an event named in unless cancels it`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  prefs {"email": {"frequency": "daily"}}
      2026-03-02 07:00  quiet 22:00 09:00
      2026-03-02 12:00  > note
      2026-03-03 09:00  > note by email of 2026-03-02 12:00 (quiet_hours, email_frequency)
      2026-03-03 12:00  > note
      2026-03-03 15:00  event done
      2026-03-04 12:00  > note
      2026-03-05 08:00  quiet off
      2026-03-05 08:00  > note by email of 2026-03-04 12:00 (quiet_hours, email_frequency)
      2026-03-05 09:00  end
      """, catalog: Self.catalog)
  }

  @Test func `the collection of e-mail is explained`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog), now: try utc("2026-03-02 07:00"))
    try player.take("preferences.updated", ["email": ["frequency": "daily"]])
    let explanations = try player.recipient.explain(
      .pending(reminder: "note"), now: player.now, planner: player.planner)
    #expect(explanations.map(\.channels) == [[.push], [.email]])
    let first = try #require(explanations.last?.rounds.first)
    let step = try #require(first.steps.last)
    #expect(step.gate == .emailFrequency)
    #expect(step.input == "collected e-mail until 2026-03-03 08:00 UTC")
    #expect(
      explanations.last?.counterfactualText == "would be sent at 2026-03-02 12:00 UTC if not for "
        + "collected e-mail until 2026-03-03 08:00 UTC")
    let hypothetical = try player.recipient.explain(
      .hypothetical(category: "NOTE", at: utc("2026-03-02 15:00")), now: player.now,
      planner: player.planner)
    #expect(
      try hypothetical.map(\.decision.at) == [utc("2026-03-02 15:00"), utc("2026-03-03 08:00")])
  }

  @Test func `P5: a write's consequences include moved e-mail`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog), now: try utc("2026-03-02 07:00"))
    try player.take("recipient.updated", ["name": "Amina"])
    let json: JSONValue = [
      "specversion": "1.0", "id": "w", "source": "test", "type": "preferences.updated",
      "subject": "amina", "time": .string(player.now.description),
      "data": ["email": ["frequency": "daily"]],
    ]
    let event = try EventReader(planner: player.planner).event(json, now: player.now)
    let changes = player.recipient.consequences(
      of: [event], now: player.now, planner: player.planner
    ).changes
    #expect(
      changes.map { "\($0.kind) \($0.channels.channels)" } == ["moved [Reminders.Channel.email]"])
    #expect(try changes.first?.after == utc("2026-03-03 08:00"))
  }

  /// Rules L2 and N4 for collected e-mail, while the recipient changes the e-mail frequency.
  @Test(arguments: Seeds.all)
  func `L2: the forecast is right, and nothing is delivered twice`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<4 {
      var life = try CappedLife(
        &random, catalog: Self.catalog, zones: ["UTC", "America/New_York", "Asia/Kathmandu"],
        categories: ["NOTE", "LETTER", "URGENT"])
      for _ in 0..<5 {
        let frequency = ["immediate", "daily", "weekly"].randomElement(using: &random) ?? "daily"
        try life.player.take("preferences.updated", ["email": ["frequency": .string(frequency)]])
        life.player.advance(to: life.player.now)
        try life.simulate(days: 2, &random)
        let end = life.player.now + .days(4)
        let forecast = life.player.recipient.simulatedFirings(
          from: life.player.now, through: end, planner: life.player.planner)
        var future = life.player
        future.advance(to: end)
        let actual = future.entries[life.player.entries.count...].map {
          "\($0.at) \($0.key) \($0.outcome) \($0.channels)"
        }
        let expected = forecast.compactMap { firing -> String? in
          guard case .finished(let outcome) = firing.result else { return nil }
          return "\(firing.at) \(firing.key) \(outcome) \(firing.channels)"
        }
        #expect(expected.sorted() == actual.sorted(), "seed \(seed)")
      }
      let deliveries = life.player.entries.filter {
        $0.outcome != .dropped && $0.reminder != "digest"
      }
      .flatMap { entry in entry.channels.channels.map { "\(entry.occurrence) \($0)" } }
      #expect(Set(deliveries).count == deliveries.count, "seed \(seed): \(deliveries)")
    }
  }
}

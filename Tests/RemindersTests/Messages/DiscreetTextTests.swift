import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule D17: discreet texts in catalogs, and the choice between them and title and body.
@Suite struct DiscreetTextTests {
  private static func catalog(
    category: String = "discreet: [push]", message: String = "discreet: It is time"
  ) -> String {
    """
    catalog: doses
    categories:
      DOSE: {title: Doses, channels: {push: true, sms: true, email: true, inapp: true}\
    \(category.isEmpty ? "" : ", " + category)}
    groups:
      doses: {enabled: true}
    reminders:
      dose:
        category: DOSE
        group: doses
        every: {day: {at: "12:00"}}
        expires: 1h
        messages:
          - {title: Metformin, body: Take it.\(message.isEmpty ? "" : ", " + message)}
      pill:
        category: DOSE
        group: doses
        every: {day: {at: "12:00"}}
        expires: 1h
        messages:
          - {title: Insulin, body: Take it.\(message.isEmpty ? "" : ", " + message)}
    """
  }

  /// Returns what each channel shows of the recipient's notifications on a day.
  private static func shown(
    _ catalog: String, preferences: JSONValue? = nil, profile: JSONValue = ["name": "Amina"]
  ) throws -> [Channel: [String]] {
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 09:00"))
    try player.take("recipient.updated", profile)
    if let preferences { try player.take("preferences.updated", preferences) }
    try player.restart()
    let firings = player.recipient.simulatedFirings(
      from: player.now, through: player.now + .hours(8), planner: player.planner)
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    var shown: [Channel: [String]] = [:]
    for firing in firings where firing.result == .finished(.delivered) {
      let message = try #require(context.message(of: firing))
      for channel in firing.channels.channels {
        let text = message.shown(on: channel, firing.hints)
        shown[channel, default: []].append("\(text.title)/\(text.body(on: channel, firing.hints))")
      }
    }
    return shown
  }

  private static let full = ["Metformin/Take it.", "Insulin/Take it."]
  private static let discreet = ["It is time/", "It is time/"]

  @Test func `D17: the channels of the category show the discreet text`() throws {
    let shown = try Self.shown(Self.catalog(category: "discreet: [push, sms]"))
    #expect(shown[.push] == Self.discreet && shown[.sms] == Self.discreet)
    #expect(shown[.email] == Self.full && shown[.inapp] == Self.full)
  }

  @Test func `D17: preview never shows the discreet text on push`() throws {
    let catalog = Self.catalog(category: "")
    #expect(try Self.shown(catalog)[.push] == Self.full)
    let shown = try Self.shown(catalog, preferences: ["hints": ["preview": "never"]])
    #expect(shown[.push] == Self.discreet && shown[.sms] == Self.full)
  }

  @Test func `D17: without a discreet text, preview never hides the body alone`() throws {
    let catalog = Self.catalog(category: "", message: "")
    let shown = try Self.shown(catalog, preferences: ["hints": ["preview": "never"]])
    #expect(shown[.push] == ["Metformin/", "Insulin/"])
  }

  @Test func `D17: a recipient who switches discreet texts off gets title and body`() throws {
    let catalog = Self.catalog(category: "discreet: [push, sms]")
    let shown = try Self.shown(catalog, preferences: ["hints": ["discreet": false]])
    #expect(shown[.push] == Self.full && shown[.sms] == Self.full)
    let both: JSONValue = ["hints": ["discreet": false, "preview": "never"]]
    #expect(try Self.shown(catalog, preferences: both)[.push] == Self.discreet)
  }

  @Test(arguments: ["always", "unlocked", "never"])
  func `D17: no choice of the preview switches discreet texts off`(preview: String) throws {
    let catalog = Self.catalog(category: "discreet: [push, sms]")
    let shown = try Self.shown(catalog, preferences: ["hints": ["preview": .string(preview)]])
    #expect(shown[.push] == Self.discreet && shown[.sms] == Self.discreet)
  }

  @Test func `D17: a message without a text of its own has the built-in one`() throws {
    let catalog = Self.catalog(message: "")
    #expect(
      try Self.shown(catalog)[.push]
        == Array(repeating: "You have a new notification/", count: 2))
    let german = try Self.shown(
      catalog.replacing("catalog: doses", with: "catalog: doses\nlanguage: de"))
    #expect(german[.push]?.first == "Du hast eine neue Mitteilung/")
  }

  @Test func `D17: each language has its discreet text`() throws {
    let catalog = Self.catalog(
      message: "discreet: It is time, locales: {de: {title: Metformin, body: Nimm es., "
        + "discreet: Es ist Zeit}}")
    let shown = try Self.shown(catalog, profile: ["locale": "de-CH"])
    #expect(shown[.push]?.first == "Es ist Zeit/")
    #expect(shown[.email]?.first == "Metformin/Nimm es.")
  }

  @Test func `D17: a digest with a discreet member shows its title alone`() throws {
    let quiet: JSONValue = [
      "quietHours": ["enabled": true, "start": "11:00", "end": "12:30"],
      "bundling": ["threshold": 2],
    ]
    let shown = try Self.shown(Self.catalog(), preferences: quiet)
    #expect(shown[.push] == ["2 reminders/"])
    #expect(shown[.email] == ["2 reminders/Metformin: Take it.\nInsulin: Take it."])
  }

  @Test func `D17: a requested notification of the category is discreet`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog()), now: try utc("2026-03-02 14:00"))
    try player.take("recipient.updated", ["locale": "de"])
    try player.take(
      "notification.requested", ["category": "DOSE", "title": "Insulin", "body": "Now."])
    let firings = player.recipient.simulatedFirings(
      from: player.now, through: player.now + .hours(1), planner: player.planner)
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    let message = try #require(firings.first.flatMap { context.message(of: $0) })
    #expect(message.shown(on: .push, []).title == "Du hast eine neue Mitteilung")
    #expect(message.shown(on: .email, []).title == "Insulin")
  }

  @Test func `D17: the lines of a simulation have the text that the channel shows`() throws {
    let message = Message(
      reminder: "dose", category: "DOSE", title: "Metformin", body: "Take it.",
      discreet: DiscreetText(text: "It is time", channels: [ChannelSet(.push)]))
    let epoch = Instant(milliseconds: 0)
    let entry = TimelineEntry(
      at: epoch, recipient: "r", recipientIndex: 0, zone: try Fixtures.zone("UTC"),
      channel: .push, outcome: .delivered, planned: epoch, trace: GateTrace(), isSilent: false,
      hints: [], message: message)
    var writer = JSONWriter()
    entry.write(to: &writer, isExplained: false)
    let line = String(decoding: writer.bytes, as: UTF8.self)
    #expect(line.contains("It is time") && !line.contains("Metformin") && !line.contains("Take"))
  }

  @Test(arguments: [("imanpath", "RECOVERY"), ("wellness", "MEDICATION")])
  func `D17: recovery and medicine are discreet on push`(name: String, category: String) throws {
    let catalog = try Fixtures.read(Fixtures.shipped(name))
    let found = try #require(catalog.categories.first { $0.name == category })
    #expect(found.discreetChannels.contains(ChannelSet(.push)))
    // A fallback shows no more than the channel that it replaces.
    let isFallback = found.channels.contains { $0.channel == .sms }
    #expect(found.discreetChannels.contains(ChannelSet(.sms)) == isFallback)
    let others = catalog.categories.filter { $0.name != category }
    #expect(others.allSatisfy { $0.discreetChannels.isEmpty })
  }

  @Test(arguments: [
    ("discreet: push", "3:95: \"discreet\" of a category must be a list of channels"),
    ("discreet: []", "3:95: \"discreet\" of a category must be a list of channels"),
    (
      "discreet: [inapp]",
      "3:96: inapp is seen by the recipient alone; remove it from \"discreet\""
    ),
    (
      "discreet: [fax]",
      "3:96: \"fax\" is not a channel (known: push, email, sms, inapp)"
    ),
  ])
  func `D17: faulty channels are reported`(category: String, diagnostic: String) {
    ValidCatalog.expect(Self.catalog(category: category), "test.yaml:" + diagnostic)
  }

  @Test(arguments: [
    (
      "discreet: \"{{recipient.name}}\"",
      "\"discreet\" is seen by others, so it cannot have placeholders; write a text without {{"
    ),
    (
      "discreet: \(String(repeating: "a", count: 121))",
      "\"discreet\" has at most 120 characters; it has 121"
    ),
    (
      "locales: {de: {title: a, body: b, discreet: c}}",
      "the message has a discreet text in only some of its languages; add \"discreet\" in \"en\""
    ),
    (
      "discreet: c, locales: {de: {title: a, body: b}}",
      "the message has a discreet text in only some of its languages; add \"discreet\" in \"de\""
    ),
  ])
  func `D17: faulty texts are reported`(message: String, fault: String) throws {
    let error = #expect(throws: CatalogErrors.self) {
      try Fixtures.read(Self.catalog(message: message))
    }
    #expect(error?.description.contains(fault) == true, "\(error?.description ?? "")")
    #expect(error?.description.hasPrefix("test.yaml:13:") == true)
  }
}

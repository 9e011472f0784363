import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Messages about topics that the recipient has selected.
@Suite struct TopicTests {
  private static let groups =
    "notes: {enabled: true, time: \"08:00\", about: {selection: [food, sleep, mind]}}"
  private static let messages = """
    messages: [{topic: food, title: Food 1, body: -}, {topic: sleep, title: Sleep, body: -}, \
    {topic: food, title: Food 2, body: -}, {topic: mind, title: Mind, body: -}]
    """

  private static let messagesWithoutTopic = "messages: [{title: T, body: B}]"

  private static func catalog(
    _ members: String = "topics: $about", _ messages: String = Self.messages
  ) -> String {
    Fixtures.catalog(
      groups: groups, reminders: ["tip": "every: {day: {at: $time}}, \(members), \(messages)"])
  }

  @Test(arguments: Seeds.all)
  func `only selected topics are sent, and consecutive texts differ`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog()), now: try utc("2026-03-02 07:00"))
    for _ in 0..<40 {
      let chosen = ["food", "sleep", "mind"].filter { _ in Bool.random(using: &random) }
      let entryCount = player.entries.count
      try player.take(
        "preferences.updated",
        ["reminders": ["notes": ["about": .array(chosen.map { .string($0) })]]])
      player.advance(to: player.now + .days(3))
      let titles = player.entries[entryCount...].map(\.title)
      #expect(titles.count == (chosen.isEmpty ? 0 : 3), "seed \(seed): \(chosen)")
      let topics = titles.map { $0.split(separator: " ")[0].lowercased() }
      #expect(Set(topics).isSubset(of: chosen), "seed \(seed): \(titles) of \(chosen)")
      if chosen.contains("food") || chosen.count > 1 {
        #expect(zip(titles, titles.dropFirst()).allSatisfy { $0 != $1 }, "seed \(seed): \(titles)")
      }
    }
  }

  @Test func `the shipped tips follow the selection`() throws {
    try Diary.expect(
      """
      2026-03-02 10:00  prefs {"reminders": {"tips": {"categories": ["sleep"]}}}
      2026-03-02 10:30  off breakfast lunch dinner exercise encouragement weight weekly inactivity
      2026-03-02 11:00  > daily-tip "Tip of the Day"
      2026-03-02 11:00  > daily-tip by inapp "Tip of the Day"
      2026-03-02 12:00  prefs {"reminders": {"tips": {"categories": []}}}
      2026-03-05 12:00  end
      """, catalog: Fixtures.shipped("wellness"))
  }

  @Test(
    arguments: [
      (
        "topics: about", messagesWithoutTopic,
        "8:44: \"topics\" must be $name for a group's parameter that is a selection"
      ),
      ("topics: $time", messagesWithoutTopic, "8:44: $time is not a selection"),
      (
        "topics: $abuot", messagesWithoutTopic,
        "8:44: the group \"notes\" has no parameter $abuot; did you mean \"$about\"?"
      ),
      (
        "topics: $about", "messages: [{topic: fod, title: T, body: B}]",
        "8:71: \"fod\" is not among food, sleep, mind; did you mean \"food\"?"
      ),
      (
        "topics: $about", "messages: [{topic: food, title: T, body: B}]",
        """
        8:62: no message is about "sleep"; add a message with this topic
        test.yaml:8:62: no message is about "mind"; add a message with this topic
        """
      ),
      (
        "until: relapse", "messages: [{topic: food, title: T, body: B}]",
        "8:64: a message has no \"topic\" (known: title, body, discreet, locales)"
      ),
    ])
  func `faults in topics are reported`(
    members: String, messages: String, diagnostics: String
  ) throws {
    ValidCatalog.expect(Self.catalog(members, messages), "test.yaml:" + diagnostics)
  }
}

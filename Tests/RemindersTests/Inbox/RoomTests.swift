import CivilTime
import JSON
import Reminders
import Testing

/// Rules N1 and N2: the notifications about the actions of other people.
@Suite struct RoomTests {
  @Test func `N2: recipients are not notified of their own actions`() throws {
    var room = try Room()
    let recipient = Room.person("sarah", id: "sarah")
    try room.player.take("room.liked", ["room": Room.place("A"), "actor": recipient])
    try room.player.take(
      "element.added",
      ["room": Room.place("A"), "actor": recipient, "elements": Room.elements(photos: 2)])
    try room.player.take(
      "comment.added",
      ["comment": "7", "room": Room.place("A"), "actor": recipient, "preview": "Mine"])
    try room.player.take(
      "notification.requested",
      ["category": "ROOM_LIKE", "title": "T", "body": "B", "actor": ["id": "sarah"]])
    try room.advance(to: "2025-07-04 13:00")
    #expect(room.player.entries.map(\.body) == [])
    try room.player.take("room.liked", ["room": Room.place("A"), "actor": Room.person("pete")])
    try room.advance(to: "2025-07-04 14:00")
    #expect(room.texts(on: .push) == ["13:00 pete liked your room: A"])
  }

  @Test(arguments: [false, true])
  func `N2: a mention replaces its comment in any order`(isMentionFirst: Bool) throws {
    var room = try Room()
    let types = ["comment.added", "comment.mentioned"]
    for type in isMentionFirst ? types.reversed() : types { try room.comment(type, "1") }
    try room.comment("comment.added", "2", "Another")
    try room.advance(to: "2025-07-04 13:00")
    #expect(
      room.texts(on: .push) == [
        "12:00 pete mentioned you: Hi", "12:00 pete added a comment in Italy Trip: Another",
      ])
  }

  @Test(arguments: ["2025-07-04 11:50", "2025-07-04 12:20"])
  func `N2: a mention replaces the delivered notification of its comment`(time: String) throws {
    var room = try Room()
    try room.comment("comment.added", "1")
    try room.advance(to: "2025-07-04 12:20")
    try room.comment("comment.mentioned", "1", at: time)
    #expect(room.texts(on: .inapp).count == 2)
    let (comment, mention) = (room.player.entries[0], room.player.entries[2])
    #expect(mention.replaced == [Symbol("comment-added")])
    #expect(mention.key == comment.key)
    try room.comment("comment.added", "1", at: "2025-07-04 12:19")
    try room.advance(to: "2025-07-04 13:00")
    #expect(room.texts(on: .inapp).count == 2)
  }

  private static let comments: [(comment: String, preview: String?)] = [
    ("@sarah what do you think\n about  this?", "@sarah what do you think about this?"),
    (repeated("a", 100), repeated("a", 100)),
    (repeated("a", 101), repeated("a", 97) + "..."),
    (repeated("🎂", 101), repeated("🎂", 97) + "..."),
    (repeated("a", 96) + " bcdef", repeated("a", 96) + "..."),
    (repeated("🎂", 5_000), nil),
  ]

  private static func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  @Test(arguments: comments)
  func `N2: the preview of a comment has at most 100 characters`(
    comment: String, preview: String?
  ) throws {
    var room = try Room()
    guard let preview else {
      #expect(throws: Refusal.self) { try room.comment("comment.liked", "1", comment) }
      return
    }
    try room.comment("comment.liked", "1", comment)
    #expect(room.texts(on: .push) == ["12:00 pete liked your comment: \(preview)"])
  }

  @Test func `a missing, invalid or undeclared field is refused with its path`() throws {
    var room = try Room()
    func refusal(_ data: JSONValue) -> String? {
      #expect(throws: Refusal.self) { try room.player.take("element.added", data) }?.path
    }
    let (person, place) = (Room.person("pete"), Room.place("A"))
    let valid: JSONValue = [["type": "PHOTO"]]
    #expect(refusal(["room": place, "elements": valid]) == "data.actor")
    #expect(refusal(["room": "A", "actor": person, "elements": valid]) == "data.room")
    #expect(
      refusal(["room": place, "actor": ["id": "1"], "elements": valid]) == "data.actor.username")
    #expect(
      refusal(["room": place, "actor": ["id": "1", "nick": "x"], "elements": valid])
        == "data.actor.nick")
    #expect(refusal(["room": place, "actor": person, "elements": []]) == "data.elements")
    #expect(
      refusal(["room": place, "actor": person, "elements": [["type": "PHOTO"], ["type": "FOTO"]]])
        == "data.elements[1].type")
    #expect(
      refusal(["room": place, "actor": person, "elements": [["type": "PHOTO", "url": "x"]]])
        == "data.elements[0].url")
  }
}

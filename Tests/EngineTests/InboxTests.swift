import CivilTime
import Engine
import JSON
import Reminders
import Testing

/// Rules D1 and N1 to N3: an inbox item is written with the decision, exactly once, and updated in
/// place.
@Suite struct InboxTests {
  @Test func `N2: a batch is one inbox item that is updated in place`() throws {
    let stage = try Stage.room()
    try stage.add(photos: 1)
    let first = try #require(try stage.inbox().items.first)
    try stage.run(to: "2025-07-04 12:02")
    try stage.add(photos: 19)
    try stage.act("room.liked")
    let page = try stage.inbox()
    #expect(
      page.items.map(\.message.body) == [
        "pete liked your room: Italy", "pete added 20 photos to Italy",
      ])
    #expect(page.items.last?.identifier == first.identifier)
    #expect(page.items.last?.at == first.at)
    #expect(page.counts == InboxCounts(items: 2, unread: 2, recent: 2))
    #expect(stage.delivered.filter { $0.channel == .push }.count == 2)
    #expect(stage.delivered.first?.identifier == first.identifier)
  }

  @Test func `N2: an event after its batch was read opens a new item`() throws {
    let stage = try Stage.room()
    try stage.add(photos: 2)
    let item = try #require(try stage.inbox().items.first)
    #expect(try stage.write(.read([item.identifier]))?.count == 1)
    try stage.add(photos: 1)
    #expect(
      try stage.inboxTexts() == [".pete added a photo to Italy", "pete added 2 photos to Italy"])
    try stage.write(.readAll)
    try stage.add(photos: 1)
    #expect(try stage.inboxTexts().count == 3)
    #expect(try stage.inbox().counts.unread == 1)
  }

  @Test func `N11: a search for unread items examines 1000 items at a time`() throws {
    let stage = try Stage.room()
    for _ in 0..<1_002 { try stage.act("room.liked") }
    var all = InboxQuery(of: "amina", limit: 1_000)
    let newest = try #require(try stage.query(all))
    all.after = newest.next
    let items = newest.items + (try #require(try stage.query(all))).items
    try #require(items.count == 1_002)
    try stage.write(.read(items.prefix(1_001).map(\.identifier)))
    var query = InboxQuery(of: "amina", limit: 10)
    query.isOnlyUnread = true
    let first = try #require(try stage.query(query))
    #expect(first.items.isEmpty && first.next != nil)
    query.after = first.next
    let second = try #require(try stage.query(query))
    #expect(second.items.map(\.identifier) == [items[1_001].identifier])
    #expect(second.next == nil)
  }

  @Test func `N1: opening a notification marks its item as read`() throws {
    let stage = try Stage.room()
    try stage.act("room.liked")
    try stage.act("room.liked", of: "bilal")
    let item = try #require(try stage.inbox().items.first).identifier
    try stage.take("notification.opened", ["notification": .string(item)], of: "bilal")
    #expect(try stage.inbox().counts.unread == 1)
    try stage.take("notification.opened", ["notification": .string(item)])
    #expect(try stage.inbox().counts.unread == 0)
    #expect(try stage.inbox(of: "bilal").counts.unread == 1)
  }

  @Test func `N1: an item shows whether the recipient follows back now`() throws {
    let stage = try Stage.room()
    for name in ["renee", "mara"] {
      try stage.act("user.followed", ["isFollowingBack": false], by: name)
    }
    func isFollowing() throws -> [JSONValue?] {
      try stage.inbox().items.map { item in
        try JSONParser.parse(item.message.details)["isFollowingBack"]
      }
    }
    #expect(try isFollowing() == [false, false])
    try stage.take("user.follows", ["user": "id-renee"])
    #expect(try isFollowing() == [false, true])
    try stage.take("user.unfollows", ["user": "id-renee"])
    try stage.take("user.follows", ["user": "id-mara"])
    #expect(try isFollowing() == [true, false])
    // A later item has the value of its own event.
    try stage.run(to: stage.now + .minutes(1))
    try stage.act("user.followed", ["isFollowingBack": false], by: "mara")
    #expect(try isFollowing() == [false, true, false])
  }

  @Test func `N3: only existing ids of the caller are counted`() throws {
    let stage = try Stage.room()
    try stage.act("room.liked")
    try stage.act("room.liked", of: "bilal")
    try stage.act("user.followed", ["isFollowingBack": true])
    let ids = try stage.inbox().items.map(\.identifier)
    let foreignIDs = try stage.inbox(of: "bilal").items.map(\.identifier)
    let unknown = ["", "notif-123", "-1", "\(ids[0])0", "\(ids[0]) ", ids[0] + "x"]
    let receipt = try stage.write(.read(foreignIDs + unknown + [ids[0], ids[0]]))
    #expect(receipt == InboxReceipt(count: 1, counts: InboxCounts(items: 2, unread: 1, recent: 2)))
    #expect(try stage.write(.read([ids[0]]))?.counts.unread == 1)
    #expect(try stage.inbox(of: "bilal").counts.unread == 1)
    #expect(try stage.write(.readAll)?.counts.unread == 0)
    #expect(try stage.write(.read(ids), of: "nobody") == nil)
  }

  @Test func `N2: a mention replaces the item of its comment`() throws {
    let stage = try Stage.room()
    let comment: JSONObject = ["comment": "1", "preview": "@amina look"]
    try stage.act("comment.added", comment)
    try stage.run(to: "2025-07-04 12:01")
    #expect(try stage.inboxTexts() == [".pete added a comment in Italy: @amina look"])
    try stage.act("comment.mentioned", comment)
    #expect(try stage.inboxTexts() == [".pete mentioned you: @amina look"])
    #expect(try stage.inbox().counts == InboxCounts(items: 1, unread: 1, recent: 1))
    #expect(try stage.history { $0.part = .dismissed }?.entries.count == 1)
  }

  @Test func `D1: a crash with unanswered deliveries leaves each item once`() throws {
    let stage = try Stage.room()
    stage.reply = nil
    try stage.add(photos: 3)
    try stage.act("room.liked")
    let before = try stage.inbox()
    try stage.crash()
    stage.reply = Stage.accepting
    try stage.run(to: "2025-07-04 12:10")
    let after = try stage.inbox()
    #expect(after.items.map(\.identifier) == before.items.map(\.identifier))
    #expect(after.counts == before.counts)
    #expect(Set(stage.delivered.map(\.notification)).count == stage.delivered.count)
  }

  @Test func `V3: a notification with a held push is in the inbox at once, as one entry`() throws {
    let stage = try Stage.room(at: "2025-07-04 23:00")
    try stage.take(
      "preferences.updated", ["quietHours": ["enabled": true, "start": "22:00", "end": "06:00"]])
    try stage.act("room.liked")
    #expect(try stage.inbox().counts == InboxCounts(items: 1, unread: 1, recent: 1))
    #expect(try stage.history()?.entries.map(\.channels) == [ChannelSet(.inapp)])
    try stage.run(to: "2025-07-05 07:00")
    let entries = try #require(try stage.history()?.entries)
    #expect(entries.map(\.channels.channels) == [[.push, .inapp]])
    #expect(try stage.inbox().counts.recent == 1)
    // Opening the push notification marks the item as read.
    let push = try #require(stage.delivered.first { $0.channel == .push })
    #expect(try stage.write(.read([push.identifier]))?.counts.unread == 0)
  }

  @Test func `T6: no item is repeated after the clock was set back`() throws {
    let stage = try Stage.room()
    try stage.add(photos: 1)
    try stage.act("room.liked")
    let before = try stage.inbox()
    try stage.jump(to: "2025-07-04 11:00")
    try stage.run(to: "2025-07-04 12:30")
    try stage.act("room.liked", by: "renee")
    let after = try stage.inbox()
    #expect(after.items.map(\.identifier).suffix(2) == before.items.map(\.identifier).suffix(2))
    #expect(after.counts == InboxCounts(items: 3, unread: 3, recent: 3))
    #expect(try stage.history()?.entries.count == 3)
  }

  @Test func `H4: an erased recipient has no inbox`() throws {
    let stage = try Stage.room()
    try stage.act("room.liked")
    try stage.take("recipient.deleted")
    #expect(try stage.inbox().items.isEmpty)
    try stage.act("room.liked", by: "renee")
    #expect(try stage.inboxTexts() == [".renee liked your room: Italy"])
    #expect(try stage.history()?.entries.count == 1)
  }
}

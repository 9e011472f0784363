import CivilTime
import JSON
import Reminders
import Testing

/// Rule N2: elements that one actor adds to one room within five minutes are one item.
@Suite struct BatchTests {
  @Test func `N2: a window opens at the first element and lasts five minutes`() throws {
    var room = try Room()
    try room.add(Room.elements(photos: 1))
    try room.advance(to: "2025-07-04 12:02")
    try room.add(Room.elements(photos: 19, videos: 3))
    try room.advance(to: "2025-07-04 12:04:59.999")
    try room.add(Room.elements(notes: 1))
    try room.advance(to: "2025-07-04 12:05")
    try room.add(Room.elements(videos: 1))
    #expect(
      room.texts(on: .inapp) == [
        "12:00 renee added a photo to Awesome Fun",
        "12:02 renee added 20 photos and 3 videos to Awesome Fun",
        "12:04 renee added 20 photos, 3 videos and a note to Awesome Fun",
        "12:05 renee added a video to Awesome Fun",
      ])
    #expect(
      room.texts(on: .push) == [
        "12:00 renee added a photo to Awesome Fun", "12:05 renee added a video to Awesome Fun",
      ])
    let keys = room.player.entries.filter { $0.channels == ChannelSet(.inapp) }.map(\.key)
    let openers = room.player.entries.filter { $0.channels == ChannelSet(.inapp) }.map(\.opener)
    #expect(openers == [nil, keys[0], keys[0], nil])
  }

  @Test func `N2: each actor and each room has its own batch`() throws {
    var room = try Room()
    for (name, place) in [("renee", "A"), ("pete", "A"), ("renee", "B"), ("renee", "A")] {
      try room.add(Room.elements(photos: 1), by: name, to: place)
    }
    #expect(
      room.texts(on: .inapp) == [
        "12:00 renee added a photo to A", "12:00 pete added a photo to A",
        "12:00 renee added a photo to B", "12:00 renee added 2 photos to A",
      ])
    #expect(room.texts(on: .push).count == 3)
  }

  @Test func `N2: after the recipient has read a batch, the next element opens another`() throws {
    var room = try Room()
    try room.add(Room.elements(photos: 2))
    let opener = try #require(room.player.entries.first).key
    room.player.read(batchOf: "element-added", opener: opener)
    try room.player.restart()
    try room.advance(to: "2025-07-04 12:01")
    try room.add(Room.elements(photos: 1))
    try room.add(Room.elements(photos: 1))
    #expect(
      room.texts(on: .inapp) == [
        "12:00 renee added 2 photos to Awesome Fun", "12:01 renee added a photo to Awesome Fun",
        "12:01 renee added 2 photos to Awesome Fun",
      ])
    #expect(room.texts(on: .push).count == 2)
  }

  @Test func `N2: a batch survives a restart`() throws {
    var room = try Room()
    try room.add([["type": "PHOTO", "thumbnail": "https://x/1"]])
    try room.player.restart()
    try room.add([["type": "VIDEO", "thumbnail": "https://x/2"]])
    #expect(try room.details().last?["batchCount"] == 2)
    #expect(
      try room.details().last?["thumbnails"] == [
        ["url": "https://x/1", "type": "PHOTO"], ["url": "https://x/2", "type": "VIDEO"],
      ])
  }

  @Test func `N2: a batch has at most five thumbnails and counts all elements`() throws {
    var room = try Room()
    for batch in 0..<4 {
      try room.add(
        .array(
          (0..<2).map { ["type": "PHOTO", "thumbnail": .string("https://x/\(batch * 2 + $0)")] }))
    }
    let last = try #require(try room.details().last)
    #expect(last["batchCount"] == 8)
    #expect(
      last["thumbnails"]?.arrayValue?.map { $0["url"] }
        == (0..<5).map { .string("https://x/\($0)") })
  }

  @Test func `N2: a late element joins a batch if all its elements then fit the window`() throws {
    var room = try Room()
    try room.add(Room.elements(photos: 1), at: "2025-07-04 11:58")
    try room.add(Room.elements(photos: 1), at: "2025-07-04 11:56")
    try room.add(Room.elements(photos: 1), at: "2025-07-04 11:53")
    try room.add(Room.elements(photos: 1), at: "2025-07-04 12:00")
    #expect(
      room.texts(on: .inapp) == [
        "12:00 renee added a photo to Awesome Fun", "12:00 renee added 2 photos to Awesome Fun",
        "12:00 renee added a photo to Awesome Fun", "12:00 renee added 3 photos to Awesome Fun",
      ])
  }

  @Test func `N2: late elements are batched by their own times`() throws {
    var room = try Room()
    for second in 20..<40 {
      try room.add(Room.elements(photos: 1), at: "2025-07-04 11:53:\(second)")
    }
    try room.advance(to: "2025-07-04 12:10")
    try room.add(Room.elements(videos: 1), at: "2025-07-04 11:58:19")
    try room.add(Room.elements(videos: 1), at: "2025-07-04 11:58:20")
    #expect(
      room.texts(on: .push) == [
        "12:00 renee added a photo to Awesome Fun", "12:10 renee added a video to Awesome Fun",
      ])
    #expect(
      room.texts(on: .inapp).suffix(2) == [
        "12:10 renee added 20 photos and a video to Awesome Fun",
        "12:10 renee added a video to Awesome Fun",
      ])
    #expect(Set(room.player.entries.filter { $0.opener == nil }.map(\.key)).count == 2)
  }

  @Test func `N2: an event joins the window that was open at its time`() throws {
    var room = try Room()
    try room.add(Room.elements(photos: 1), at: "2025-07-04 11:59")
    try room.add(Room.elements(photos: 1), at: "2025-07-04 11:53")
    try room.add(Room.elements(videos: 1), at: "2025-07-04 11:56")
    #expect(room.texts(on: .inapp).last == "12:00 renee added a photo and a video to Awesome Fun")
  }

  @Test func `N2: at most about 32 past batches are remembered`() throws {
    var room = try Room()
    for minute in 0..<50 {
      try room.advance(to: "2025-07-04 \(12 + minute / 10):\(10 + minute % 10 * 5)")
      try room.add(Room.elements(photos: 1), to: "\(minute)")
    }
    #expect((32...34).contains(room.player.recipient.progress.batches.count))
  }

  @Test func `V3: a push held by quiet hours describes the whole batch`() throws {
    var room = try Room(at: "2025-07-04 23:00")
    try room.player.take(
      "preferences.updated", ["quietHours": ["enabled": true, "start": "22:00", "end": "06:00"]])
    for _ in 0..<40 { try room.add(Room.elements(photos: 1)) }
    try room.advance(to: "2025-07-05 01:00")
    try room.add(Room.elements(videos: 1))
    try room.advance(to: "2025-07-05 07:00")
    #expect(room.texts(on: .inapp).count == 41)
    #expect(
      room.texts(on: .push) == [
        "06:00 renee added 40 photos to Awesome Fun", "06:00 renee added a video to Awesome Fun",
      ])
  }

  @Test func `a recipient without in-app items gets one push for a batch`() throws {
    var room = try Room()
    try room.player.take("preferences.updated", ["channels": ["inapp": false]])
    for _ in 0..<3 { try room.add(Room.elements(photos: 1)) }
    #expect(room.player.entries.map(\.body) == ["renee added a photo to Awesome Fun"])
  }

  @Test func `T6: a clock that is set back opens no batch twice`() throws {
    var room = try Room()
    try room.add(Room.elements(photos: 1))
    room.player.rewind(to: try utc("2025-07-04 11:30"))
    try room.advance(to: "2025-07-04 12:10")
    #expect(room.texts(on: .push).count == 1)
  }
}

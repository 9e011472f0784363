import CivilTime
import Engine
import JSON
import Reminders
import Testing

/// Rules N1 to N3: the rooms app's four endpoints, compared with the samples of its guide.
@Suite(.timeLimit(.minutes(2))) struct RoomsTests {
  static func actor(_ id: String, _ username: String, _ firstName: String) -> JSONValue {
    [
      "id": .string(id), "username": .string(username), "firstName": .string(firstName),
      "avatarUrl": "https://...",
    ]
  }

  static let pete = actor("user-123", "pete", "Pete")
  static let sarah = actor("user-789", "sarah", "Sarah")

  static func room(_ id: String, _ name: String) -> JSONValue {
    ["id": .string(id), "name": .string(name)]
  }

  /// An event that an app reports, and the resulting inbox item without its id.
  struct Sample: Sendable {
    let itemType: String
    let at: String
    let eventType: String
    let data: JSONValue
    let text: String
    let actor: JSONValue
    let link: JSONValue
    /// Further members of the item: `roomName` or `isFollowingBack`.
    let extraMembers: JSONObject

    var item: JSONValue {
      var item: JSONObject = [
        "type": .string(itemType), "displayText": .string(text), "isRead": false,
        "createdAt": .string(at), "actor": actor, "deepLink": link,
      ]
      for member in extraMembers { item[member.key] = member.value }
      item["thumbnails"] = []
      item["batchCount"] = 1
      return .object(item)
    }
  }

  private static func link(_ type: String, _ room: JSONValue, _ actor: String) -> JSONValue {
    ["type": .string(type), "roomId": room, "actorId": .string(actor)]
  }

  static let samples: [Sample] = [
    Sample(
      itemType: "ADDED_TO_ROOM", at: "2025-07-04T15:02:44.161Z", eventType: "room.joined",
      data: ["room": room("room-789", "Italy Trip 2025"), "actor": pete],
      text: "pete added you to the room: Italy Trip 2025", actor: pete,
      link: link("room", "room-789", "user-123"), extraMembers: ["roomName": "Italy Trip 2025"]),
    Sample(
      itemType: "ROOM_RENAMED", at: "2025-07-04T15:03:31.950Z", eventType: "room.renamed",
      data: [
        "room": room("room-789", "Italy Trip 2025"), "actor": pete, "from": "Summer Vacation",
      ],
      text: "pete renamed the room \"Summer Vacation\" to \"Italy Trip 2025\"", actor: pete,
      link: link("room", "room-789", "user-123"), extraMembers: ["roomName": "Italy Trip 2025"]),
    Sample(
      itemType: "REMOVED_FROM_ROOM", at: "2025-07-04T17:00:00.000Z", eventType: "room.removed",
      data: ["room": room("room-789", "Old Project"), "actor": pete],
      text: "pete removed you from the room: Old Project", actor: pete,
      link: link("none", nil, "user-123"), extraMembers: ["roomName": "Old Project"]),
    Sample(
      itemType: "ROOM_DELETED", at: "2025-07-04T16:59:00.589Z", eventType: "room.deleted",
      data: ["room": room("room-789", "July 4, 2025 12:58PM"), "actor": pete],
      text: "pete deleted the room July 4, 2025 12:58PM", actor: pete,
      link: link("none", nil, "user-123"), extraMembers: ["roomName": "July 4, 2025 12:58PM"]),
    Sample(
      itemType: "PARTICIPANT_LEFT", at: "2025-07-04T18:00:00.000Z", eventType: "room.left",
      data: ["room": room("room-123", "Beach House Plans"), "actor": sarah],
      text: "sarah left the room Beach House Plans", actor: sarah,
      link: link("room", "room-123", "user-789"), extraMembers: ["roomName": "Beach House Plans"]),
    Sample(
      itemType: "ROOM_LIKE", at: "2025-07-04T19:00:00.000Z", eventType: "room.liked",
      data: ["room": room("room-456", "Vacation Planning"), "actor": sarah],
      text: "sarah liked your room: Vacation Planning", actor: sarah,
      link: link("room", "room-456", "user-789"), extraMembers: ["roomName": "Vacation Planning"]),
    Sample(
      itemType: "COMMENT_ADDED", at: "2025-07-04T20:00:01.000Z", eventType: "comment.added",
      data: [
        "comment": "c1", "room": room("room-789", "Italy Trip"), "actor": pete,
        "preview": "This looks amazing! Can't wait to visit the...",
      ],
      text: "pete added a comment in Italy Trip: This looks amazing! Can't wait to visit the...",
      actor: pete, link: link("room", "room-789", "user-123"),
      extraMembers: ["roomName": "Italy Trip"]),
    Sample(
      itemType: "MENTION", at: "2025-07-04T20:30:00.000Z", eventType: "comment.mentioned",
      data: [
        "comment": "c2", "room": room("room-789", "Italy Trip"), "actor": pete,
        "preview": "@sarah what do you think about this location for dinner?",
      ],
      text: "pete mentioned you: @sarah what do you think about this location for dinner?",
      actor: pete, link: link("room", "room-789", "user-123"),
      extraMembers: ["roomName": "Italy Trip"]),
    Sample(
      itemType: "COMMENT_LIKE", at: "2025-07-04T21:00:00.000Z", eventType: "comment.liked",
      data: [
        "room": room("room-456", "Dinner Plans"), "actor": sarah,
        "preview": "Great idea! Let's meet at 7pm",
      ],
      text: "sarah liked your comment: Great idea! Let's meet at 7pm", actor: sarah,
      link: link("room", "room-456", "user-789"), extraMembers: ["roomName": "Dinner Plans"]),
    Sample(
      itemType: "USER_FOLLOWED", at: "2025-07-04T10:00:00.000Z", eventType: "user.followed",
      data: ["actor": actor("user-999", "sarah", "Sarah"), "isFollowingBack": false],
      text: "sarah started following you", actor: actor("user-999", "sarah", "Sarah"),
      link: link("profile", nil, "user-999"), extraMembers: ["isFollowingBack": false]),
  ]

  @Test(arguments: samples.map(\.itemType))
  func `N1: each type of item is as in the guide`(type: String) async throws {
    let sample = try #require(Self.samples.first { $0.itemType == type })
    let start = type == "COMMENT_ADDED" ? "2025-07-04T20:00:00.000Z" : sample.at
    let service = try LiveService("rooms", at: start)
    try await service.ingest(sample.eventType, sample.data, of: "me")
    try service.run(to: sample.at)
    try await TestServer.serving(service) { server in
      let items = try await Self.items(server)
      #expect(items.map(Self.withoutID) == [sample.item])
    }
  }

  @Test func `N2: a batch of elements is as in the guide`() async throws {
    let service = try LiveService("rooms", at: "2025-07-04T16:06:19.544Z")
    let renee = Self.actor("user-456", "renee", "Renee")
    func element(_ type: String, _ number: Int) -> JSONValue {
      ["type": .string(type), "thumbnail": .string("https://x/\(number).jpg")]
    }
    for elements in [
      [element("PHOTO", 1), element("PHOTO", 2), element("VIDEO", 3)],
      (4...21).map { element("PHOTO", $0) }, [element("VIDEO", 22), element("VIDEO", 23)],
    ] {
      let data: JSONValue = [
        "room": Self.room("room-789", "Awesome Fun"), "actor": renee,
        "elements": .array(elements),
      ]
      try await service.ingest("element.added", data, of: "me")
    }
    let expected: JSONValue = [
      "type": "ELEMENT_ADDED",
      "displayText": "renee added 20 photos and 3 videos to Awesome Fun", "isRead": false,
      "createdAt": "2025-07-04T16:06:19.544Z", "actor": renee,
      "deepLink": ["type": "room", "roomId": "room-789", "actorId": "user-456"],
      "roomName": "Awesome Fun",
      "thumbnails": .array(
        [(1, "PHOTO"), (2, "PHOTO"), (3, "VIDEO"), (4, "PHOTO"), (5, "PHOTO")].map {
          ["url": .string("https://x/\($0).jpg"), "type": .string($1)]
        }),
      "batchCount": 23,
    ]
    try await TestServer.serving(service) { server in
      let items = try await Self.items(server)
      #expect(items.map(Self.withoutID) == [expected])
    }
  }

  @Test func `N1: the other endpoints answer as in the guide`() async throws {
    let service = try LiveService("rooms", at: "2025-07-04T12:00:00.000Z")
    for sample in Self.samples.prefix(5) {
      try await service.ingest(sample.eventType, sample.data, of: "me")
    }
    try await service.ingest("user.followed", Self.samples[9].data, of: "you")
    try await TestServer.serving(service) { server in
      #expect(try await Self.unread(server) == 5)
      let ids = try await Self.items(server).compactMap { $0["id"]?.stringValue }
      let body = JSONValue.object([
        "notificationIds": .array([ids[0], ids[1], ids[1], "notif-123"].map { .string($0) })
      ])
      let read = try await server.call(
        "PUT", "/api/notifications/read?recipient=me", body: body.description)
      #expect(
        try read.json == ["data": ["message": "Notifications marked as read", "count": 2]])
      #expect(try await Self.unread(server) == 3)
      let other = try await server.call(
        "PUT", "/api/notifications/read?recipient=you",
        body: body.description)
      #expect(try other.json["data"]?["count"] == 0)
      let all = try await server.call(
        "PUT", "/api/notifications/read-all?recipient=me")
      #expect(try all.json == ["data": ["message": "All notifications marked as read"]])
      #expect(try await Self.unread(server) == 0)
      let items = try await Self.items(server)
      #expect(items.allSatisfy { $0["isRead"] == true })
    }
  }

  @Test func `N1: an inbox is read in pages, the latest item first`() async throws {
    let service = try LiveService("rooms", at: "2025-07-04T12:00:00.000Z")
    for number in 1...52 {
      let data: JSONValue = ["room": Self.room("r", "Room \(number)"), "actor": Self.pete]
      try await service.ingest("room.liked", data, of: "me")
    }
    try await TestServer.serving(service) { server in
      var texts: [String] = []
      for page in 1...4 {
        let reply = try await server.call(
          "GET", "/api/notifications?recipient=me&page=\(page)&limit=20")
        let json = try reply.json
        #expect(
          json["meta"] == [
            "totalCount": 52, "page": .integer(Int64(page)), "limit": 20, "totalPages": 3,
            "hasNextPage": .bool(page < 3), "hasPrevPage": .bool(page > 1),
          ])
        texts += (json["data"]?.arrayValue ?? []).compactMap { $0["displayText"]?.stringValue }
      }
      #expect(texts == (1...52).reversed().map { "pete liked your room: Room \($0)" })
    }
  }

  @Test func `an empty inbox is an empty page`() async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.call("GET", "/api/notifications?recipient=me")
      #expect(
        try reply.json == [
          "data": [],
          "meta": [
            "totalCount": 0, "page": 1, "limit": 20, "totalPages": 0, "hasNextPage": false,
            "hasPrevPage": false,
          ],
        ])
    }
  }

  @Test func `a requested notification is shown with its own link`() async throws {
    let service = try LiveService("rooms", at: "2025-07-04T12:00:00.000Z")
    let data: JSONValue = [
      "category": "ROOM_LIKE", "title": "T", "body": "B", "channels": ["inapp"],
      "deepLink": ["type": "room", "roomId": "7"],
    ]
    try await service.ingest("notification.requested", data, of: "me")
    try await TestServer.serving(service) { server in
      let item = try #require(try await Self.items(server).first)
      #expect(item["displayText"] == "B")
      #expect(item["actor"] == .null)
      #expect(item["deepLink"] == ["type": "room", "roomId": "7"])
    }
  }

  @Test(arguments: [
    ("GET", "?recipient=me&page=0", "", 400, "page"),
    ("GET", "?recipient=me&limit=101", "", 400, "limit"),
    ("GET", "?recipient=me&pages=1", "", 400, "pages"),
    ("PUT", "/read?recipient=me", "[]", 400, nil),
    ("PUT", "/read?recipient=me", "{}", 422, "notificationIds"),
    ("PUT", "/read?recipient=me", "{\"notificationIds\":[1]}", 422, "notificationIds[0]"),
    ("PUT", "/read?recipient=me", "{\"notificationIds\":[],\"ids\":[]}", 422, "ids"),
    ("PUT", "/read-all?recipient=me", "{\"all\":true}", 422, "all"),
    ("PUT", "/read?recipient=me", "{", 400, nil),
  ])
  func `an invalid request is refused, with the path of a wrong value`(
    method: String, target: String, body: String, status: Int, wrong: String?
  ) async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.call(
        method, "/api/notifications" + target, body: body.isEmpty ? nil : body)
      #expect(reply.status == status)
      #expect(try reply.json["path"]?.stringValue == wrong)
    }
  }

  @Test func `an administrator has to name the recipient of an inbox`() async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.get("/api/notifications/unread-count")
      #expect(reply.status == 400)
      #expect(try reply.json["path"] == "recipient")
    }
  }

  // MARK: - Calls

  private static func items(_ server: TestServer) async throws -> [JSONValue] {
    let reply = try await server.call("GET", "/api/notifications?recipient=me")
    return try #require(try reply.json["data"]?.arrayValue)
  }

  private static func unread(_ server: TestServer) async throws -> Int64? {
    let reply = try await server.call("GET", "/api/notifications/unread-count?recipient=me")
    return try reply.json["data"]?["unreadCount"]?.integerValue
  }

  private static func withoutID(_ item: JSONValue) -> JSONValue {
    guard case .object(var object) = item else { return item }
    object["id"] = nil
    return .object(object)
  }
}

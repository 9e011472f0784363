import CivilTime
import Engine
import JSON
import Outbox
import Reminders
import Testing

/// Rules N4 to N8: the six required tests of the notifications view, marked as tests 1 to 6, and
/// others of that view.
@Suite(.timeLimit(.minutes(2))) struct ScheduledTests {
  /// Returns a service in which Sarah's Spotify trial ends on the 10th and her Netflix trial on the
  /// 20th.
  private static func trials(at start: String = "2026-03-02T02:00:00.000Z") async throws
    -> LiveService
  {
    let service = try LiveService("trials", at: start) { $0.map { _ in .delivered } }
    for (trial, name, ends) in [
      ("1", "Spotify", "2026-03-10T20:00:00Z"), ("2", "Netflix", "2026-03-20T20:00:00Z"),
    ] {
      try await service.ingest(
        "trial.started",
        ["trial": .string(trial), "name": .string(name), "ends": .string(ends)], of: "sarah")
    }
    return service
  }

  private static let path = "/v1/recipients/sarah"

  private static func recent(_ server: TestServer, _ query: String = "") async throws -> JSONValue {
    try await server.get(path + "/notifications" + query).json
  }

  private static func texts(_ page: JSONValue, _ list: String) -> [String] {
    (page[list]?.arrayValue ?? []).compactMap { $0["body"]?.stringValue }
  }

  private static func badge(_ server: TestServer) async throws -> JSONValue? {
    try await server.get(path + "/badge").json["badge"]
  }

  /// Test 1.
  @Test func `N4: a delivered notification is recent`() async throws {
    let service = try await Self.trials()
    try service.run(to: "2026-03-08T00:00:00Z")
    try await TestServer.serving(service) { server in
      let page = try await Self.recent(server)
      #expect(Self.texts(page, "notifications") == ["Your Spotify trial ends in 3 days"])
      #expect(page["notifications"]?[0]?["channels"] == ["push"])
      #expect(page["allCaughtUp"] == false)
      #expect(page["message"] == nil)
    }
  }

  /// Tests 2 and 3.
  @Test func `N4: dismissing lowers the badge and clearing resets it`() async throws {
    let service = try await Self.trials()
    try service.run(to: "2026-03-21T00:00:00Z")
    try await TestServer.serving(service) { server in
      let page = try await Self.recent(server)
      let ids = (page["notifications"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
      let count = Int64(ids.count)
      #expect(count > 3)
      #expect(try await Self.badge(server) == .integer(count))
      let first = Self.path + "/notifications/" + ids[1]
      let dismissed = try await server.call("DELETE", first)
      #expect(try dismissed.json == ["dismissed": 1, "badge": .integer(count - 1)])
      #expect(try await server.call("DELETE", first).status == 404)
      #expect(try await Self.badge(server) == .integer(count - 1))
      let cleared = try await server.call("DELETE", Self.path + "/notifications")
      #expect(try cleared.json == ["dismissed": .integer(count - 1), "badge": 0])
      #expect(try await server.call("DELETE", Self.path + "/notifications").json["badge"] == 0)
      #expect(Self.texts(try await Self.recent(server), "notifications") == [])
      let all = try await Self.recent(server, "?part=all&q=spotify%20tomorrow")
      #expect(Self.texts(all, "notifications") == ["Your Spotify trial ends tomorrow"])
    }
  }

  /// Tests 4 and 5.
  @Test func `N4: scheduled occurrences are listed, and one can be cancelled`() async throws {
    let service = try await Self.trials()
    try await TestServer.serving(service) { server in
      let page = try await server.get(Self.path + "/scheduled").json
      let before = Self.texts(page, "scheduled")
      #expect(before.first == "Your Spotify trial ends in 3 days")
      let netflix = try #require(
        page["scheduled"]?.arrayValue?.first {
          $0["body"] == "Your Netflix trial ends in 3 days"
        })
      let path = Self.path + "/scheduled/" + (netflix["id"]?.stringValue ?? "")
      let cancelled = try await server.call("DELETE", path)
      #expect(try cancelled.json["changes"]?[0]?["change"] == "cancelled")
      let after = Self.texts(try await server.get(Self.path + "/scheduled").json, "scheduled")
      #expect(after == before.filter { $0 != "Your Netflix trial ends in 3 days" })
      #expect(try await server.call("DELETE", path).status == 404)
      try service.run(to: "2026-03-30T00:00:00Z")
      let delivered = Self.texts(try await Self.recent(server), "notifications")
      #expect(!delivered.contains("Your Netflix trial ends in 3 days"))
      #expect(delivered.contains("Your Spotify trial ends in 3 days"))
    }
  }

  @Test func `N4: a cancelled occurrence is listed and can be resumed`() async throws {
    let service = try await Self.trials()
    try await TestServer.serving(service) { server in
      func part(_ name: String) async throws -> [JSONValue] {
        try await server.get(Self.path + "/scheduled?part=" + name).json["scheduled"]?.arrayValue
          ?? []
      }
      let before = try await part("pending")
      let first = try #require(before.first)
      #expect(try await part("cancelled") == [])
      let path = Self.path + "/scheduled/" + (first["id"]?.stringValue ?? "")
      _ = try await server.call("DELETE", path)
      let shown = try await part("cancelled")
      #expect(shown.map { $0["id"] } == [first["id"]])
      #expect(shown[0]["outcome"] == "cancelled" && shown[0]["series"] == false)
      #expect(shown[0]["at"] == first["at"] && shown[0]["title"] == first["title"])
      let resumed = try await server.call("POST", path + "/resume")
      #expect(try resumed.json["changes"]?[0]?["change"] == "added", "\(resumed.text)")
      #expect(try await part("cancelled") == [])
      #expect(try await part("pending") == before)
      #expect(try await server.call("POST", path + "/resume").status == 404)
      _ = try await server.call("DELETE", path + "?series=true")
      #expect(try await part("cancelled").allSatisfy { $0["series"] == true })
      #expect(try await server.call("POST", path + "/resume?series=true").status == 200)
      #expect(try await part("pending") == before)
      #expect(try await server.get(Self.path + "/scheduled?part=none").status == 400)
    }
  }

  @Test func `N4: a snooze of a delivered notification counts from now`() async throws {
    let service = try await Self.trials()
    try service.run(to: "2026-03-08T00:00:00Z")
    let now: @Sendable () -> Instant = { service.now }
    try await TestServer.serving(service, now: now) { server in
      let delivered = try await Self.recent(server)["notifications"]?[0]
      let path = Self.path + "/notifications/" + (delivered?["id"]?.stringValue ?? "") + "/snooze"
      #expect(try await server.call("POST", path, body: "{}").status == 422)
      let past = try await server.call(
        "POST", path, body: "{\"until\":\"2026-03-07T00:00:00Z\"}")
      #expect(past.status == 422)
      // The trial ends in the evening of the 10th.
      let late = try await server.call("POST", path, body: "{\"for\":\"90h\"}")
      #expect(late.status == 422)
      #expect(try late.json["path"] == "for", "\(late.text)")
      #expect(late.text.contains("latest possible instant is 2026-03-10T19:59:59.999Z"))
      let snoozed = try await server.call("POST", path, body: "{\"for\":\"2h\"}")
      #expect(try snoozed.json["until"] == "2026-03-08T02:00:00.000Z", "\(snoozed.text)")
      let pending = try await server.get(Self.path + "/scheduled").json["scheduled"]?[0]
      #expect(pending?["at"] == "2026-03-08T02:00:00.000Z")
      #expect(pending?["reminder"] == "trial-ending")
      let left = try await Self.recent(server)["notifications"]?.arrayValue ?? []
      #expect(left.allSatisfy { $0["id"] != delivered?["id"] })
      let twice = try await server.call("POST", path, body: "{\"for\":\"2h\"}")
      let dismissed = try await server.call("DELETE", String(path.dropLast("/snooze".count)))
      #expect(twice.status == 404 && dismissed.status == 404)
      #expect(try twice.json["detail"] == dismissed.json["detail"], "\(twice.text)")
      try service.run(to: "2026-03-08T03:00:00Z")
      let again = try await Self.recent(server)["notifications"]?.arrayValue ?? []
      #expect(
        again.first?["title"] == delivered?["title"] && again.first?["id"] != delivered?["id"])
      #expect(again.count == left.count + 1)
      let unknown = Self.path + "/notifications/nothing-1/snooze"
      #expect(try await server.call("POST", unknown, body: "{\"for\":\"2h\"}").status == 404)
    }
  }

  /// Returns a service in which three trials end on one day, and quiet hours hold their reminders.
  private static func digest() async throws -> LiveService {
    let service = try LiveService("trials", at: "2026-03-02T02:00:00.000Z") {
      $0.map { _ in .delivered }
    }
    try await service.ingest(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "08:00", "end": "10:00"]], of: "sarah")
    for name in ["Spotify", "Netflix", "Hulu"] {
      try await service.ingest(
        "trial.started",
        ["trial": .string(name), "name": .string(name), "ends": "2026-03-10T20:00:00Z"],
        of: "sarah")
    }
    return service
  }

  @Test func `N4: a scheduled digest is changed and explained as a whole by its id`() async throws {
    let service = try await Self.digest()
    try await TestServer.serving(service) { server in
      func digests(_ part: String = "pending") async throws -> [JSONValue] {
        let page = try await server.get(Self.path + "/scheduled?part=" + part).json
        return (page["scheduled"]?.arrayValue ?? []).filter { $0["members"] != nil }
      }
      let digest = try #require(try await digests().first)
      let id = digest["id"]?.stringValue ?? ""
      #expect(digest["members"]?.arrayValue?.count == 3)
      let explained = try await server.get(Self.path + "/explain?scheduled=" + id)
      #expect(explained.status == 200, "\(explained.text)")
      let path = Self.path + "/scheduled/" + id
      let cancelled = try await server.call("DELETE", path)
      #expect(try cancelled.json["changes"]?.arrayValue?.count == 3, "\(cancelled.text)")
      #expect(try await digests().allSatisfy { $0["id"]?.stringValue != id })
      #expect(try await digests("cancelled").map { $0["id"]?.stringValue } == [id])
      #expect(try await server.call("DELETE", path).status == 404)
      #expect(try await server.call("POST", path + "/resume").status == 200)
      #expect(try await digests().first == digest)
      let snoozed = try await server.call("POST", path + "/snooze", body: "{\"for\":\"3h\"}")
      let end = try snoozed.json["until"]?.stringValue ?? snoozed.text
      let moved = try #require(try await digests().first)
      #expect(moved["at"]?.stringValue == end && moved["id"]?.stringValue != id)
      #expect(moved["members"]?.arrayValue?.count == 3)
      #expect(try await server.get(Self.path + "/explain?reminder=digest").status == 200)
      let next = try await server.call("DELETE", Self.path + "/scheduled/digest")
      #expect(try next.json["changes"]?.arrayValue?.count == 3, "\(next.text)")
    }
  }

  @Test func `N4: a digest is snoozed with its members, or a member alone`() async throws {
    for isWhole in [true, false] {
      let service = try await Self.digest()
      try service.run(to: "2026-03-07T12:00:00Z")
      let now: @Sendable () -> Instant = { service.now }
      try await TestServer.serving(service, now: now) { server in
        let delivered = try #require(try await Self.recent(server)["notifications"]?[0])
        #expect(delivered["digest"]?.arrayValue?.count == 3)
        let all = try await Self.recent(server, "?part=all&outcome=bundled")["notifications"]
        let member = all?[0]?["id"]?.stringValue
        let id = isWhole ? delivered["id"]?.stringValue : member
        let snoozed = try await server.call(
          "POST", Self.path + "/notifications/\(id ?? "")/snooze", body: "{\"for\":\"2h\"}")
        #expect(snoozed.status == 200, "\(snoozed.text)")
        let left = try await Self.recent(server)["notifications"]?.arrayValue ?? []
        #expect(left.contains { $0["id"] == delivered["id"] } == !isWhole)
        try service.run(to: "2026-03-07T14:30:00Z")
        let again = try await Self.recent(server)["notifications"]?.arrayValue ?? []
        #expect(again.count == left.count + 1)
        #expect(again.first?["digest"]?.arrayValue?.count == (isWhole ? 3 : nil))
      }
    }
  }

  @Test func `N4: a series is cancelled and an occurrence snoozed`() async throws {
    let service = try await Self.trials()
    try await TestServer.serving(service) { server in
      func scheduled() async throws -> [JSONValue] {
        try await server.get(Self.path + "/scheduled").json["scheduled"]?.arrayValue ?? []
      }
      let first = try #require(try await scheduled().first)
      let path = Self.path + "/scheduled/" + (first["id"]?.stringValue ?? "")
      let snoozed = try await server.call(
        "POST", path + "/snooze", body: "{\"until\":\"2026-03-09T10:30:00Z\"}")
      #expect(try snoozed.json["changes"]?[0]?["change"] == "moved")
      let moved = try await scheduled().first { $0["id"] == first["id"] }
      #expect(moved?["at"] == "2026-03-09T10:30:00.000Z")
      #expect(try await server.call("DELETE", path + "?series=true").status == 200)
      let left = try await scheduled().filter { $0["reminder"] == first["reminder"] }
        .compactMap { $0["body"]?.stringValue }
      #expect(!left.isEmpty && left.allSatisfy { $0.contains("Netflix") }, "\(left)")
    }
  }

  /// The service's date is the 3rd, and the occurrence is planned for the morning of the 7th.
  @Test func `N4: a snooze counts from the planned instant and names its end`() async throws {
    let service = try await Self.trials(at: "2026-03-03T18:00:00.000Z")
    try await TestServer.serving(service) { server in
      let path = Self.path + "/scheduled/trial-ending/snooze"
      let answer = try await server.call("POST", path, body: "{\"for\":\"2h\"}").json
      #expect(answer["until"] == "2026-03-07T11:00:00.000Z")
      #expect(answer["changes"]?[0]?["before"] == "2026-03-07T09:00:00.000Z")
      #expect(answer["changes"]?[0]?["after"] == "2026-03-07T11:00:00.000Z")
      let earlier = try await server.call(
        "POST", path, body: "{\"until\":\"2026-03-07T10:00:00Z\"}")
      #expect(earlier.status == 422)
      #expect(try earlier.json["detail"]?.stringValue?.contains("2026-03-07T11:00") == true)
      let unknown = try await server.call(
        "POST", Self.path + "/scheduled/nothing/snooze", body: "{\"for\":\"2h\"}")
      #expect(unknown.status == 404)
    }
  }

  /// Test 6.
  @Test func `N4: all is caught up only if both lists are empty`() async throws {
    let service = try LiveService("trials", at: "2026-03-02T02:00:00.000Z") { batch in
      batch.map { _ in .delivered }
    }
    try await service.ingest("recipient.updated", ["locale": "en"], of: "sarah")
    try await TestServer.serving(service) { server in
      func expectCaughtUp(_ isCaughtUp: Bool) async throws {
        for path in ["/scheduled", "/notifications"] {
          let page = try await server.get(Self.path + path).json
          #expect(page["allCaughtUp"] == .bool(isCaughtUp))
          #expect(page["message"] == (isCaughtUp ? "You're all caught up!" : nil))
        }
      }
      try await expectCaughtUp(true)
      try await service.ingest(
        "trial.started",
        ["trial": "1", "name": "Spotify", "ends": "2026-03-10T20:00:00Z"], of: "sarah")
      try await expectCaughtUp(false)
      try service.run(to: "2026-04-10T00:00:00Z")
      #expect(try await server.get(Self.path + "/scheduled").json["scheduled"] == [])
      try await expectCaughtUp(false)
      _ = try await server.call("DELETE", Self.path + "/notifications")
      try await expectCaughtUp(true)
    }
  }

  @Test func `N4: a badge that is switched off is absent`() async throws {
    let service = try await Self.trials()
    try await service.ingest("preferences.updated", ["hints": ["badge": false]], of: "sarah")
    try service.run(to: "2026-03-21T00:00:00Z")
    try await TestServer.serving(service) { server in
      #expect(try await server.get(Self.path + "/badge").status == 204)
      let cleared = try await server.call("DELETE", Self.path + "/notifications").json
      #expect(cleared["badge"] == nil)
      #expect(try await server.get("/v1/recipients/nobody/badge").status == 404)
    }
  }

  @Test func `N5: a device gets the next 64 occurrences`() async throws {
    let service = try LiveService("imanpath", at: "2026-03-02T02:00:00.000Z")
    try await service.ingest("recipient.updated", ["timezone": "Europe/Berlin"], of: "sarah")
    try await TestServer.serving(service) { server in
      let page = try await server.get(Self.path + "/projection").json
      let entries = try #require(page["projection"]?.arrayValue)
      #expect(entries.count == 64)
      let times = entries.compactMap { $0["at"]?.stringValue }
      #expect(times == times.sorted())
      #expect(Set(entries.compactMap { $0["id"]?.stringValue }).count == 64)
      // Daylight saving time begins on 29 March.
      let checkins = entries.filter { $0["reminder"] == "daily-checkin-reminder" }
      #expect(checkins.allSatisfy { $0["local"]?.stringValue?.contains("21:00") == true })
      let few = try await server.get(Self.path + "/projection?limit=3").json
      #expect(few["projection"]?.arrayValue?.count == 3)
    }
  }

  @Test func `H3: the pages of the history make up the whole`() async throws {
    let service = try await Self.trials()
    try service.run(to: "2026-03-30T00:00:00Z")
    try await TestServer.serving(service) { server in
      let all = Self.texts(try await Self.recent(server), "notifications")
      var (seen, next): ([String], String?) = ([], "")
      while let cursor = next {
        let after = cursor.isEmpty ? "" : "&after=\(cursor)"
        let page = try await Self.recent(server, "?limit=2" + after)
        seen += Self.texts(page, "notifications")
        next = page["next"]?.stringValue
      }
      #expect(seen == all)
    }
  }

  @Test(arguments: [
    ("GET", "/notifications?limit=0", "limit"), ("GET", "/notifications?part=old", "part"),
    ("GET", "/notifications?channel=fax", "channel"), ("GET", "/notifications?from=now", "from"),
    ("GET", "/notifications?after=x", "after"), ("GET", "/projection?limit=65", "limit"),
    ("GET", "/notifications?category=NONE", "category"), ("GET", "/scheduled?page=1", "page"),
  ])
  func `an invalid query is refused with its path`(method: String, path: String, wrong: String)
    async throws
  {
    let service = try await Self.trials()
    try await TestServer.serving(service) { server in
      let reply = try await server.call(method, Self.path + path)
      #expect(reply.status == 400)
      #expect(try reply.json["path"]?.stringValue == wrong)
    }
  }
}

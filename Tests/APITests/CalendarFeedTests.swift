import Access
import CivilTime
import Foundation
import JSON
import Reminders
import Testing

@testable import API
@testable import Engine

/// A recipient's coming notifications as a calendar, by a link (rule H29).
@Suite(.timeLimit(.minutes(1))) struct CalendarFeedTests {
  private static let catalog = """
    catalog: care
    events:
      visit.booked: {visit: identifier, with: text, at: instant}
    categories:
      DOSE: {title: Doses, channels: {push: true}, discreet: [push]}
      VISIT: {title: Visits, channels: {push: true}}
    groups:
      doses: {enabled: true, time: "08:00"}
      visits: {enabled: true}
    reminders:
      dose:
        category: DOSE
        group: doses
        every: {day: {at: $time}}
        expires: 2h
        messages: [{title: Take Valproate, body: 500 mg, discreet: A reminder}]
      visit:
        category: VISIT
        group: visits
        before: {event: visit.booked, at: at, by: 1h}
        expires: 1h
        messages: [{title: "Dr. {{with}}", body: "Bring: card; list, pen"}]
    """

  private static let host = "https://notify.example.org"
  private static let path = "/v1/recipients/amina/calendar"

  private let key = LinkKey((0..<32).map { UInt8($0) })
  private let service: LiveService
  private let tokens = FakeTokens()

  init() async throws {
    service = try LiveService(text: Self.catalog, at: "2026-03-02T12:00:00Z")
    try await service.ingest("recipient.updated", ["timezone": "Europe/Berlin"], of: "amina")
    try await book("2026-03-04T10:00:00Z")
  }

  private func book(_ instant: String) async throws {
    try await service.ingest(
      "visit.booked", ["visit": "v1", "with": "Müller", "at": .string(instant)], of: "amina")
  }

  private func serving(
    url: String? = host, _ body: (TestServer) async throws -> Void
  ) async throws {
    let current = CurrentLinkKey()
    current.value = key
    let start = ContinuousClock.now
    try await TestServer.serving(
      service,
      access: APIAccess(
        tokens: tokens, linkKey: current, publicURL: url.flatMap { PublicURL($0) }),
      now: { [service] in service.now }, clock: { start }, body)
  }

  /// Creates a link, and returns its path.
  private func newLink(_ server: TestServer, _ query: String = "") async throws -> String {
    let reply = try await server.call("POST", Self.path + query)
    try #require(reply.status == 201, "\(reply.text)")
    let url = try #require(try reply.json["url"]?.stringValue)
    #expect(url.hasPrefix(Self.host + "/v1/calendar/") && url.hasSuffix(".ics"))
    #expect(!url.contains("amina") && reply["cache-control"] == "no-store")
    return String(url.dropFirst(Self.host.count))
  }

  // MARK: - Entries

  /// The values of a property of the feed's events, in order, without escapes.
  private static func values(_ name: String, in feed: Reply) -> [String] {
    let events = feed.text.replacing("\r\n ", with: "").components(separatedBy: "BEGIN:VEVENT")
    return events.dropFirst().map { event in
      let line = event.components(separatedBy: "\r\n").first { $0.hasPrefix(name + ":") }
      return String(line?.dropFirst(name.count + 1) ?? "")
    }
  }

  @Test func `H29: the calendar has the notifications that the days ahead show`() async throws {
    try await serving { server in
      let feed = try await server.get(newLink(server))
      #expect(feed.status == 200 && feed.contentType == "text/calendar; charset=utf-8")
      #expect(feed["cache-control"] == "private, no-cache")
      let ahead = try await server.get("/v1/recipients/amina/ahead?days=60").json["timeline"]
      let instants = ahead?.arrayValue?.compactMap { $0["at"]?.stringValue } ?? []
      let starts = Self.values("DTSTART", in: feed)
      let shown = instants.map {
        $0.replacing(".000Z", with: "Z").replacing("-", with: "").replacing(":", with: "")
      }
      #expect(starts == shown)
      // The doses of 3 March to 1 May, 60 dates after the current one, and the visit. The clocks
      // change on 29 March.
      #expect(starts.count == 61)
      #expect(starts.prefix(3) == ["20260303T070000Z", "20260304T070000Z", "20260304T090000Z"])
      #expect(starts.last == "20260501T060000Z")
      #expect(Self.values("DTSTAMP", in: feed) == Array(repeating: "20260302T120000Z", count: 61))
      #expect(Set(Self.values("UID", in: feed)).count == 61)
      #expect(!feed.text.contains("VALARM") && feed.text.contains("X-PUBLISHED-TTL:PT1H\r\n"))
    }
  }

  @Test func `H29: an entry keeps its UID when its notification moves`() async throws {
    try await serving { server in
      let link = try await newLink(server)
      let feed = try await server.get(link)
      try await service.ingest(
        "preferences.updated", ["reminders": ["doses": ["time": "09:30"]]], of: "amina")
      let moved = try await server.get(link)
      #expect(Self.values("UID", in: moved) == Self.values("UID", in: feed))
      #expect(
        Self.values("DTSTART", in: moved).prefix(3) == [
          "20260303T083000Z", "20260304T083000Z", "20260304T090000Z",
        ])
      // Without the key, the identifiers reveal neither the reminder nor the person.
      let other = LinkKey(Array(repeating: 7, count: 32))
      let identifier = try #require(Self.values("UID", in: feed).first)
      #expect(key.entryIdentifier(of: "dose~20515", of: "amina") == identifier)
      #expect(other.entryIdentifier(of: "dose~20515", of: "amina") != identifier)
      #expect(key.entryIdentifier(of: "dose~20515", of: "badr") != identifier)
    }
  }

  @Test func `H29: the calendar ends before the midnight after its last date`() async throws {
    try await service.ingest(
      "preferences.updated", ["reminders": ["doses": ["time": "00:00"]]], of: "amina")
    try await serving { server in
      let feed = try await server.get(newLink(server))
      #expect(Self.values("DTSTART", in: feed).last == "20260430T220000Z")
    }
  }

  @Test func `H29: a calendar has at most 500 entries, the first ones`() async throws {
    let hours = { (hours: ClosedRange<Int>) in
      hours.map { "\"\($0 < 10 ? "0" : "")\($0):00\"" }.joined(separator: ",")
    }
    let daily = { (name: String, times: String) in
      """
        \(name):
          category: DOSE
          group: doses
          every: {day: {at: [\(times)]}}
          expires: 2h
          messages: [{title: Take Valproate, body: 500 mg}]

      """
    }
    let head = try #require(Self.catalog.components(separatedBy: "  dose:\n").first)
    let catalog = head + daily("dose", hours(8...13)) + daily("more", hours(14...19))
    let service = try LiveService(text: catalog, at: "2026-03-02T12:00:00Z")
    try await service.ingest("recipient.updated", ["timezone": "UTC"], of: "amina")
    let recipient = try await service.recipient(named: "amina")
    let feed = CalendarFeed(
      of: recipient, from: service.now, planner: service.planner, isDiscreet: false,
      identifier: { $0 })
    #expect(feed.entries.count == 500)
    #expect(feed.entries.first?.start == Instant("2026-03-02T13:00:00Z"))
    // 7 of the first day, 12 of each of the next 41 days, and one more.
    #expect(feed.entries.last?.start == Instant("2026-04-13T08:00:00Z"))
    let firings = recipient.limitedSimulatedFirings(
      from: service.now, through: service.now + .days(60), planner: service.planner, sentMax: 500)
    #expect(firings.count == 500)
  }

  // MARK: - Titles

  @Test func `H29: titles are discreet where a channel shows them so, or everywhere`() async throws
  {
    try await serving { server in
      let declared = try await newLink(server)
      var feed = try await server.get(declared)
      #expect(
        Self.values("SUMMARY", in: feed).prefix(3) == ["A reminder", "A reminder", "Dr. Müller"])
      #expect(
        Self.values("DESCRIPTION", in: feed).prefix(3) == ["", "", "Bring: card\\; list\\, pen"])
      // The link decides, not its reader.
      #expect(try await server.get(declared + "?titles=declared").status == 400)
      try await service.ingest(
        "preferences.updated", ["hints": ["discreet": false]], of: "amina")
      feed = try await server.get(declared)
      #expect(Self.values("SUMMARY", in: feed).first == "Take Valproate")
      #expect(Self.values("DESCRIPTION", in: feed).first == "500 mg")
      feed = try await server.get(newLink(server, "?titles=discreet"))
      #expect(
        Self.values("SUMMARY", in: feed).prefix(3) == [
          "A reminder", "A reminder", "You have a new notification",
        ])
      #expect(!feed.text.contains("DESCRIPTION") && !feed.text.contains("Valproate"))
      #expect(!feed.text.contains("ller") && !feed.text.contains("dose"))
    }
  }

  @Test func `H29: a calendar of a recipient without previews has no bodies`() async throws {
    try await service.ingest("preferences.updated", ["hints": ["preview": "never"]], of: "amina")
    try await serving { server in
      let feed = try await server.get(newLink(server))
      #expect(Self.values("SUMMARY", in: feed)[2] == "Dr. Müller")
      #expect(!feed.text.contains("DESCRIPTION"))
    }
  }

  // MARK: - Copies

  @Test func `H29: a reader with the current copy gets 304`() async throws {
    try await serving { server in
      let link = try await newLink(server)
      let tag = try #require(try await server.get(link)["etag"])
      #expect(tag.hasPrefix("W/\""))
      try service.run(to: "2026-03-02T20:00:00Z")
      for tags in [tag, "\"x\", " + tag, String(tag.dropFirst(2)), "*"] {
        let reply = try await server.call("GET", link, headers: ["if-none-match": tags])
        #expect(reply.status == 304 && reply.bytes.isEmpty && reply["etag"] == tag)
      }
      try await book("2026-03-05T10:00:00Z")
      let reply = try await server.call("GET", link, headers: ["if-none-match": tag])
      #expect(reply.status == 200 && reply["etag"] != tag)
    }
  }

  @Test func `H33: a refused reader may return soon, and its copy stays current`() async throws {
    try await serving { server in
      let link = try await newLink(server)
      let tag = try #require(try await server.get(link)["etag"])
      service.refuseWork(.calendar)
      for headers in [[:], ["if-none-match": tag]] {
        let reply = try await server.call("GET", link, headers: headers)
        #expect(reply.status == 429 && reply["retry-after"] == "5" && reply["etag"] == nil)
      }
      service.refuseWork(.trial)
      let reply = try await server.call("GET", link, headers: ["if-none-match": tag])
      #expect(reply.status == 304 && reply["etag"] == tag)
    }
  }

  // MARK: - The link

  @Test func `H29: a new link replaces the previous one, and a revoked one is over`() async throws {
    try await serving { server in
      #expect(try await server.get(Self.path).json == ["recipient": "amina", "created": nil])
      let first = try await newLink(server)
      let created: JSONValue = ["recipient": "amina", "created": "2026-03-02T12:00:00.000Z"]
      #expect(try await server.get(Self.path).json == created)
      let second = try await newLink(server)
      #expect(first != second)
      #expect(try await server.get(first).status == 410)
      #expect(try await server.get(second).status == 200)
      let exported = try await server.get("/v1/recipients/amina/export").json
      #expect(exported["calendarLink"] == "2026-03-02T12:00:00.000Z")
      for _ in 0..<2 {
        let revoked = try await server.call("DELETE", Self.path)
        #expect(revoked.status == 200)
        #expect(try revoked.json == ["recipient": "amina", "created": nil])
      }
      let reply = try await server.get(second)
      #expect(reply.status == 410 && reply.contentType == "application/problem+json")
      let events = try await server.get("/v1/recipients/amina/events").json["events"]
      let types = events?.arrayValue?.compactMap { $0["type"]?.stringValue } ?? []
      #expect(types.count { $0 == "calendar.changed" } == 3)
    }
  }

  @Test func `H29: the link of an erased recipient is over, also if the recipient returns`()
    async throws
  {
    try await serving { server in
      let link = try await newLink(server)
      try await service.ingest("recipient.deleted", of: "amina")
      let reply = try await server.get(link)
      #expect(reply.status == 410 && !reply.text.contains("amina"))
      #expect(try await server.call("POST", Self.path).status == 404)
      try await service.ingest("recipient.updated", ["timezone": "UTC"], of: "amina")
      #expect(try await server.get(link).status == 410)
      #expect(try await server.get(Self.path).json["created"] == .null)
    }
  }

  @Test func `H29: changed and foreign links are refused alike and counted`() async throws {
    try await serving { server in
      let good = try await newLink(server)
      let number = Int64(17)
      let calendar = LinkKey.Feed(recipient: "amina", number: number, isDiscreet: false)
      let foreign = LinkKey(Array(repeating: 7, count: 32)).token(of: calendar) ?? ""
      let unsubscribing = key.token(recipient: "amina", category: "DOSE") ?? ""
      let wrong = [
        String(good.dropLast(4)), String(good.dropLast(5)) + ".ics", "/v1/calendar/x.ics",
        "/v1/calendar/.ics", "/v1/calendar/\(foreign).ics", "/v1/calendar/\(unsubscribing).ics",
      ]
      var details: Set<String> = []
      for path in wrong {
        let reply = try await server.get(path)
        #expect(reply.status == 404, "\(path)")
        details.insert(reply.text)
      }
      #expect(details.count == 1)
      // A link with a number that the recipient's calendar does not have.
      let old = try #require(key.token(of: calendar))
      #expect(try await server.get("/v1/calendar/\(old).ics").status == 410)
      let metrics = try await server.get("/metrics").text
      #expect(metrics.contains(#"chimed_refused_links_total{reason="unknown-link"} 6"#))
      #expect(metrics.contains(#"chimed_refused_links_total{reason="expired-link"} 1"#))
    }
  }

  @Test func `H29: one link is used 30 times at once, and then once a second`() async throws {
    try await serving { server in
      let link = try await newLink(server)
      for _ in 0..<30 { #expect(try await server.perform("GET", link).status == 200) }
      let reply = try await server.get(link)
      #expect(reply.status == 429 && reply["retry-after"] == "1")
    }
  }

  @Test func `H29: a revoked link does not use up the rate of the new one`() async throws {
    try await serving { server in
      let old = try await newLink(server)
      let new = try await newLink(server)
      for _ in 0..<31 { _ = try await server.get(old) }
      #expect(try await server.get(old).status == 429)
      #expect(try await server.get(new).status == 200)
    }
  }

  @Test func `P5: a link to the calendar does not change the version of the preferences`()
    async throws
  {
    try await serving { server in
      let path = "/v1/recipients/amina/preferences"
      let tag = try #require(try await server.get(path)["etag"])
      _ = try await newLink(server)
      #expect(try await server.get(path)["etag"] == tag)
      #expect(try await server.call("DELETE", Self.path).status == 200)
      #expect(try await server.get(path)["etag"] == tag)
    }
  }

  @Test func `H29: without a public address there are no links`() async throws {
    try await serving(url: nil) { server in
      let reply = try await server.call("POST", Self.path)
      #expect(reply.status == 404 && reply.text.contains("public-url"))
      #expect(try await server.get(Self.path).json["created"] == .null)
    }
  }

  @Test func `H29: recipients create their own links, and support after requesting the texts`()
    async throws
  {
    try await serving { server in
      func create(_ scope: AccessScope, _ body: String = "") async throws -> Reply {
        let headers = ["authorization": "Bearer \(tokens.make(scope))"]
        return try await server.call(
          "POST", Self.path, headers: headers, body: body)
      }
      #expect(try await create(.recipient("amina")).status == 201)
      #expect(try await create(.recipient("amina"), "{}").status == 400)
      #expect(try await create(.recipient("badr")).status == 403)
      let headers = ["authorization": "Bearer \(tokens.make(.support))"]
      let refused = try await server.call("POST", Self.path, headers: headers)
      #expect(refused.status == 403)
      _ = try await server.call(
        "POST", "/v1/recipients/amina/text-views", headers: headers)
      let made = try await server.call("POST", Self.path, headers: headers)
      #expect(made.status == 201)
    }
  }

  @Test func `H29: a calendar may be opened from any page`() async throws {
    let fields = ["Sec-Fetch-Site": "cross-site", "Origin": "https://mail.example"]
    try await serving { server in
      let link = try await newLink(server)
      #expect(try await server.call("GET", link, headers: fields).status == 200)
    }
  }
}

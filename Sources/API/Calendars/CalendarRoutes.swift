import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Reminders

/// Serves a recipient's coming notifications as a calendar feed by a link, and creates, shows and
/// revokes the link (rule H29).
struct CalendarRoutes: Sendable {
  let service: any ReminderService
  /// Computes feeds, apart from other requests: one of a link at a time.
  let work: HeavyWork
  let key: CurrentLinkKey
  /// The public address, with which links begin; nil for none.
  let url: PublicURL?
  /// Limits the requests with one link.
  let limiter: RateLimiter
  let refusals: LinkRefusals
  let limits: APILimits
  let now: @Sendable () -> Instant

  private static let path = "/v1/recipients/{recipient}/calendar"
  static let feedPath = "/v1/calendar"
  private static let fileExtension = ".ics"

  var routes: [Route] {
    [
      Route(.get, Self.path, .calendar, answer: .recipient(show)),
      Route(.post, Self.path, .createCalendar, answer: .recipient(create)),
      Route(.delete, Self.path, .revokeCalendar, answer: .recipient(revoke)),
      Route(
        .get, Self.feedPath + "/{token}", .calendarFeed, answer: .everyone(answer),
        isOpenToOtherSites: true),
    ]
  }

  // MARK: - The link

  private func show(_ call: Call, _ name: String) async throws -> Response {
    let recipient = try await service.recipient(named: name)
    return Response(CalendarLinkPayload.self, CalendarLinkPayload.Value(recipient: recipient))
  }

  /// Creates a link, which replaces the previous one.
  private func create(_ call: Call, _ name: String) async throws -> Response {
    // The bearer of the link gets texts.
    try Texts.checkShown()
    guard let url, key.value != nil else { throw Self.noPublicURL }
    let isDiscreet = try call.enumValue("titles") == CalendarTitles.discreet
    try await checkNoBody(call)
    let recipient = try await service.recipient(named: name)
    let number = Int64.random(in: CalendarLink.numbers)
    try await write(["link": .integer(number)], recipient.name)
    let link = LinkKey.Feed(recipient: name, number: number, isDiscreet: isDiscreet)
    let address = key.value?.token(of: link).map { "\(url)\(Self.feedPath)/\($0)" }
    var response = Response(
      CalendarLinkPayload.self,
      CalendarLinkPayload.Value(
        recipient: try await service.recipient(named: name),
        url: address.map { $0 + Self.fileExtension }),
      status: .created)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  private static let noPublicURL = Problem(
    .noPublicURL, "the configuration has no public-url, with which links begin; set it and restart")

  /// Revokes the link; does nothing if there is none.
  private func revoke(_ call: Call, _ name: String) async throws -> Response {
    let recipient = try await service.recipient(named: name)
    if recipient.facts.calendarLink != nil { try await write([:], recipient.name) }
    return Response(
      CalendarLinkPayload.self,
      CalendarLinkPayload.Value(recipient: try await service.recipient(named: name)))
  }

  /// Reports a change of the link as an event.
  private func write(_ data: JSONObject, _ name: String) async throws {
    do {
      let event = try EventReader(planner: service.planner).event(
        [
          "specversion": "1.0", "id": .string(Event.newIdentifier()),
          "source": .string(Event.ownSource), "type": "calendar.changed",
          "subject": .string(name), "data": .object(data),
        ], now: now())
      _ = try await service.write(Write(events: [event])).consequences()
    } catch let refusal as Refusal {
      throw Problem(refusal.inBody(under: nil))
    } catch let unavailable as ServiceUnavailable {
      throw Problem(unavailable)
    }
  }

  private func checkNoBody(_ call: Call) async throws(Problem) {
    guard try await call.body(within: limits).readableBytes > 0 else { return }
    throw Problem(.malformedText, "the body must be empty")
  }

  // MARK: - The feed

  /// Answers the feed of a link, and counts a refusal by its reason.
  private func answer(_ call: Call) async throws -> Response {
    do {
      return try await feed(call)
    } catch let problem as Problem where !problem.isServiceFault {
      refusals.count(problem.kind)
      throw problem
    }
  }

  private func feed(_ call: Call) async throws -> Response {
    let link = try link(call)
    try limiter.admit(
      "calendar \(link.recipient) \(link.number)",
      else: "the link to this calendar was used too often")
    guard let recipient = try await service.result(of: RecipientQuery(link.recipient)),
      recipient.facts.calendarLink?.number == link.number
    else {
      throw Problem(.expiredLink, "this link to a calendar was revoked; get a new one from the app")
    }
    let feed = try await feed(of: recipient, link)
    var headers = Self.headers
    headers[.eTag] = feed.tag
    guard !call.request.headers.hasCopy(tagged: feed.tag) else {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = "text/calendar; charset=utf-8"
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: feed.text(at: now()))))
  }

  private func link(_ call: Call) throws(Problem) -> LinkKey.Feed {
    guard let name = call.segments.first, name.hasSuffix(Self.fileExtension),
      let link = key.value?.calendar(of: name.dropLast(Self.fileExtension.count))
    else {
      throw Problem(
        .unknownLink, "this link to a calendar is incomplete or changed; copy it from the app again"
      )
    }
    return link
  }

  private func feed(
    of recipient: Recipient, _ link: LinkKey.Feed
  ) async throws -> CalendarFeed {
    let (planner, now, key) = (service.planner, now(), key.value)
    // The bearer of a link is not authenticated, so the link itself has a share of the work.
    let feed = try await work.run(for: "calendar \(link.recipient) \(link.number)") {
      service throws(ServiceUnavailable) in
      try await service.work(.calendar) {
        recipient.answer {
          CalendarFeed(
            of: $0, from: now, planner: planner, isDiscreet: link.isDiscreet,
            identifier: { key?.entryIdentifier(of: $0, of: link.recipient) ?? $0 })
        }
      }
    }
    return try feed.mapError(Problem.init).get()
  }

  /// The headers of every answer. The texts are for the bearer of the link alone.
  private static let headers: HTTPFields = {
    var headers: HTTPFields = [
      .cacheControl: "private, no-cache", .xContentTypeOptions: "nosniff",
    ]
    if let name = HTTPField.Name("X-Robots-Tag") { headers[name] = "noindex" }
    return headers
  }()
}

/// The titles of a calendar: as on the channels, or all of them discreet.
enum CalendarTitles: String, CaseIterable {
  case declared, discreet
}

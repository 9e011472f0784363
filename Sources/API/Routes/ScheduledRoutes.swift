import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Reminders

/// What is scheduled for a person, as they see it and change it (rules N4, N5).
struct ScheduledRoutes: Sendable {
  let service: any ReminderService
  let limits: APILimits
  let now: @Sendable () -> Instant

  private static let path = "/v1/recipients/{recipient}/scheduled"
  /// The most that iOS keeps scheduled for an app.
  static let projectionMax = 64

  var routes: [Route] {
    [
      Route(.get, Self.path, .scheduled, answer: .recipient(show)),
      Route(.delete, Self.path + "/{scheduled}", .cancelScheduled, answer: .recipient(cancel)),
      Route(.post, Self.path + "/{scheduled}/snooze", .snoozeScheduled, answer: .recipient(snooze)),
      Route(.post, Self.path + "/{scheduled}/resume", .resumeScheduled, answer: .recipient(resume)),
      Route(
        .get, "/v1/recipients/{recipient}/projection", .projection, answer: .recipient(projection)),
    ]
  }

  // MARK: - Showing

  private func show(_ call: Call, _ recipient: String) async throws -> Response {
    let limit = try call.limit()
    let cursor = try call.parameters["after"].map(PendingRoute.cursor)
    let part: ScheduledPart = try call.word("part") ?? .pending
    let agenda = try await PendingRoute(service: service)
      .agenda(of: recipient, part)
    let entries = agenda.entries.mergedByOccurrence
    var page = AgendaPage(agenda, entries, after: cursor, limit: limit)
    if part == .pending, entries.isEmpty {
      page.isCaughtUp = try await service.arrivedCount(of: recipient) == 0
    }
    return Response(ScheduledPagePayload.self, page)
  }

  // MARK: - Changing

  private func cancel(_ call: Call, _ recipient: String) async throws -> Response {
    try await carryOut("pending.cancelled", Self.extent(of: call), of: recipient)
  }

  private func resume(_ call: Call, _ recipient: String) async throws -> Response {
    guard try await call.body(within: limits).readableBytes == 0 else {
      throw Problem(.malformedText, "this takes no document; send it with an empty body")
    }
    return try await carryOut("pending.resumed", Self.extent(of: call), of: recipient)
  }

  /// One occurrence, or with `series=true` the series that it is part of.
  private static func extent(of call: Call) throws(Problem) -> JSONObject {
    var data = target(call.segments[0])
    guard try call.isSet("series") else { return data }
    data["series"] = true
    return data
  }

  private func snooze(_ call: Call, _ recipient: String) async throws -> Response {
    var data = Self.target(call.segments[0])
    let body = try await call.body(SnoozeBody.self, within: limits)
    data["until"] = try body.until.map { .string($0.description) }
    data["for"] = try body.for.map { .string($0.description) }
    return try await carryOut("pending.snoozed", data, of: recipient)
  }

  /// The reminder and the occurrence that an id names; a reminder by itself means its next one.
  private static func target(_ identifier: String) -> JSONObject {
    guard let mark = identifier.lastIndex(of: "~") else { return ["reminder": .string(identifier)] }
    return [
      "reminder": .string(String(identifier[..<mark])),
      "occurrence": .string(String(identifier[identifier.index(after: mark)...])),
    ]
  }

  /// The same as the event, answered with what it changes.
  private func carryOut(
    _ type: String, _ data: JSONObject, of name: String
  ) async throws -> Response {
    let recipient = try await service.known(name)
    let consequences: Consequences
    let end: Instant?
    do {
      let event = try EventReader(planner: service.planner).event(
        [
          "specversion": "1.0", "id": .string(Event.newIdentifier()), "source": "chimed",
          "type": .string(type), "subject": .string(recipient.name), "data": .object(data),
        ], now: now())
      end = recipient.upToDate([event]).first.flatMap {
        recipient.snoozeEnd($0, planner: service.planner)
      }
      consequences = try await service.write(Write(events: [event])).consequences()
    } catch let refusal as Refusal {
      throw Self.problem(refusal)
    } catch let unavailable as ServiceUnavailable {
      throw Problem(unavailable)
    }
    guard let end else { return Response(ChangesPayload.self, consequences) }
    return Response(
      SnoozedPayload.self, SnoozedPayload.Value(end: end, consequences: consequences))
  }

  /// Why an event was refused that the caller has not sent, by the names that they have given.
  private static func problem(_ refusal: Refusal) -> Problem {
    let name = refusal.path.split(separator: ".").last.map(String.init) ?? ""
    return switch name {
    case "reminder", "occurrence":
      Problem(.unknownNotification, "the \(name) \(refusal.reason)")
    case "until", "for": Problem(.invalidBody, "\(name) \(refusal.reason)", path: name)
    default: Problem(.invalidBody, refusal.reason)
    }
  }

  // MARK: - For a device

  /// So far ahead it is looked, further only while there are fewer than are wanted.
  private static let horizons = [8, 64, 366]

  private func projection(_ call: Call, _ recipient: String) async throws -> Response {
    let recipient = try await service.known(recipient)
    let limit = try call.number("limit", usually: Self.projectionMax)
    let (planner, now) = (service.planner, now())
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let firings: Result<[Firing], UnfinishedPlan>
    do {
      firings = try await service.work {
        recipient.answer { Self.next(limit, of: $0, from: now, planner) }
      }
    } catch {
      throw Problem(error)
    }
    return Response(
      ProjectionPayload.self,
      Timeline(
        recipient: recipient, context: context, now: now, end: now,
        firings: try firings.mapError(Problem.init).get()))
  }

  private static func next(
    _ count: Int, of recipient: Recipient, from now: Instant, _ planner: Planner
  ) -> [Firing] {
    var firings: [Firing] = []
    for days in horizons {
      let ahead = recipient.ahead(from: now, through: now + .days(days), planner: planner)
      firings = ahead.filter { firing in
        firing.result == .settled(.delivered) && firing.channels.contains(ChannelSet(.push))
      }
      if firings.count >= count { break }
    }
    return Array(firings.prefix(count))
  }
}

/// What of a person's plans is asked for.
enum ScheduledPart: String, CaseIterable {
  case pending, cancelled
}

extension [Agenda.Entry] {
  /// The same with one entry for what goes out on several ways at the same instant.
  fileprivate var mergedByOccurrence: [Agenda.Entry] {
    var merged: [Agenda.Entry] = []
    var places: [Way: Int] = [:]
    for entry in self {
      let way = Way(identifier: entry.identifier, at: entry.at, outcome: entry.outcome)
      if let twin = places[way] {
        merged[twin].channels += entry.channels.filter { !merged[twin].channels.contains($0) }
      } else {
        places[way] = merged.count
        merged.append(entry)
      }
    }
    return merged
  }
}

/// How an occurrence goes out, but for its channels.
private struct Way: Hashable {
  let identifier: String
  let at: Instant
  let outcome: Outcome
}

extension WriteReceipt {
  /// What an event changes that was written by itself.
  ///
  /// - Throws: why it was refused.
  func consequences() throws -> Consequences {
    switch self {
    case .done(let consequences, _): return consequences
    case .refused(let refusal): throw refusal
    case .outdated(let version): throw PreferencesRoutes.outdated(version)
    }
  }
}

/// What is pending for a recipient, a page at a time (rules N4, H3).
struct PendingRoute: Sendable {
  let service: any ReminderService

  var route: Route {
    Route(.get, "/v1/recipients/{recipient}/pending", .pending, answer: .recipient(answer))
  }

  private func answer(_ call: Call, _ recipient: String) async throws -> Response {
    let limit = try call.limit()
    let cursor = try call.parameters["after"].map(Self.cursor)
    let agenda = try await agenda(of: recipient)
    return Response(
      PendingPagePayload.self, AgendaPage(agenda, agenda.entries, after: cursor, limit: limit))
  }

  func agenda(
    of recipient: String, _ part: ScheduledPart = .pending
  ) async throws(Problem) -> Agenda {
    let found: Agenda?
    do {
      switch part {
      case .pending: found = try await service.agenda(of: recipient)
      case .cancelled: found = try await service.cancelled(of: recipient)
      }
    } catch {
      throw Problem(error)
    }
    if let found { return found }
    throw Problem.unknown(recipient: recipient)
  }

  static func cursor(_ text: String) throws(Problem) -> PageCursor {
    if let cursor = PageCursor(text) { return cursor }
    throw Problem(
      .invalidParameter,
      "after must be the \"next\" of the previous page; it is "
        + "\"\(text.shortened)\"", path: "after")
  }
}

extension Event {
  /// An identifier for an event that the service itself reports.
  static func newIdentifier() -> String {
    (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined(separator: "-")
  }
}

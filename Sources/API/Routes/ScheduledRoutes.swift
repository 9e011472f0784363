import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Reminders

/// Lists a recipient's scheduled occurrences, and cancels, resumes and snoozes them (rules N4, N5).
struct ScheduledRoutes: Sendable {
  let service: any ReminderService
  let limits: APILimits
  let now: @Sendable () -> Instant

  private static let path = "/v1/recipients/{recipient}/scheduled"
  /// The limit of iOS for the scheduled notifications of an app.
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
    let part: ScheduledPart = try call.enumValue("part") ?? .pending
    let agenda = try await PendingRoute(service: service)
      .agenda(of: recipient, part)
    let entries = agenda.entries.mergedByOccurrence
    var page = AgendaPage(agenda, entries, after: cursor, limit: limit)
    if part == .pending, entries.isEmpty {
      page.isCaughtUp = try await service.result(of: ArrivedCountQuery(of: recipient)) == 0
    }
    return Response(ScheduledPagePayload.self, page)
  }

  // MARK: - Changing

  private func cancel(_ call: Call, _ recipient: String) async throws -> Response {
    try await carryOut("pending.cancelled", Self.extentData(of: call), of: recipient)
  }

  private func resume(_ call: Call, _ recipient: String) async throws -> Response {
    guard try await call.body(within: limits).readableBytes == 0 else {
      throw Problem(.malformedText, "the body must be empty")
    }
    return try await carryOut("pending.resumed", Self.extentData(of: call), of: recipient)
  }

  /// Returns the data of an event about one occurrence or, with `series=true`, about its series.
  private static func extentData(of call: Call) throws(Problem) -> JSONObject {
    var data = eventData(forIdentifier: call.segments[0])
    guard try call.isSet("series") else { return data }
    data["series"] = true
    return data
  }

  private func snooze(_ call: Call, _ recipient: String) async throws -> Response {
    var data = Self.eventData(forIdentifier: call.segments[0])
    let body = try await call.body(SnoozeBody.self, within: limits)
    data["until"] = try body.until.map { .string($0.description) }
    data["for"] = try body.for.map { .string($0.description) }
    return try await carryOut("pending.snoozed", data, of: recipient)
  }

  /// Converts an id to event data: a reminder and an occurrence. An id that names only a reminder
  /// means its next occurrence.
  private static func eventData(forIdentifier identifier: String) -> JSONObject {
    guard let separator = identifier.lastIndex(of: "~") else {
      return ["reminder": .string(identifier)]
    }
    return [
      "reminder": .string(String(identifier[..<separator])),
      "occurrence": .string(String(identifier[identifier.index(after: separator)...])),
    ]
  }

  /// Reports an event to the engine and responds with its effects on pending occurrences.
  private func carryOut(
    _ type: String, _ data: JSONObject, of name: String
  ) async throws -> Response {
    let recipient = try await service.recipient(named: name)
    let consequences: Consequences
    let end: Instant?
    do {
      let event = try EventReader(planner: service.planner).event(
        [
          "specversion": "1.0", "id": .string(Event.newIdentifier()), "source": "chimed",
          "type": .string(type), "subject": .string(recipient.name), "data": .object(data),
        ], now: now())
      end = recipient.notBeforeCurrentChanges([event]).first.flatMap {
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

  /// Converts the refusal of an event that the service made from a request. The problem names the
  /// request's members.
  private static func problem(_ refusal: Refusal) -> Problem {
    let member = refusal.path.split(separator: ".").last.map(String.init) ?? ""
    return switch member {
    case "reminder", "occurrence":
      Problem(.unknownNotification, "the \(member) \(refusal.reason)")
    case "until", "for": Problem(.invalidBody, "\(member) \(refusal.reason)", path: member)
    default: Problem(.invalidBody, refusal.reason)
    }
  }

  // MARK: - For a device

  /// The spans to simulate, in days. A longer span is tried only if the previous one has too few
  /// notifications.
  private static let horizons = [8, 64, 366]

  private func projection(_ call: Call, _ recipient: String) async throws -> Response {
    let recipient = try await service.recipient(named: recipient)
    let limit = try call.number("limit", default: Self.projectionMax)
    let (planner, now) = (service.planner, now())
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let ahead: Result<FiringsAhead, UnfinishedPlan>
    do {
      ahead = try await service.work(.people) {
        recipient.answer { Self.nextPushFirings(limit, of: $0, from: now, planner) }
      }
    } catch {
      throw Problem(error)
    }
    return Response(
      ProjectionPayload.self,
      Timeline(
        recipient: recipient, context: context, now: now, end: now,
        ahead: try ahead.mapError(Problem.init).get()))
  }

  private static func nextPushFirings(
    _ countMax: Int, of recipient: Recipient, from now: Instant, _ planner: Planner
  ) -> FiringsAhead {
    var next = FiringsAhead(firings: [])
    for days in horizons {
      let ahead = recipient.firingsAhead(from: now, through: now + .days(days), planner: planner)
      let firings = ahead.firings.filter { firing in
        firing.result == .finished(.delivered) && firing.channels.contains(ChannelSet(.push))
      }
      let isFull = firings.count >= countMax
      next = FiringsAhead(firings: Array(firings.prefix(countMax)), cut: isFull ? nil : ahead.cut)
      // A longer span would be cut at the same instant.
      if isFull || ahead.cut != nil { break }
    }
    return next
  }
}

/// The requested part of a recipient's scheduled occurrences.
enum ScheduledPart: String, CaseIterable {
  case pending, cancelled
}

extension [Agenda.Entry] {
  /// The entries, with the channel groups of an occurrence merged if they are sent at the same
  /// instant.
  fileprivate var mergedByOccurrence: [Agenda.Entry] {
    var merged: [Agenda.Entry] = []
    var indices: [MergeKey: Int] = [:]
    for entry in self {
      let key = MergeKey(identifier: entry.identifier, at: entry.at, outcome: entry.outcome)
      if let index = indices[key] {
        merged[index].channels += entry.channels.filter { !merged[index].channels.contains($0) }
      } else {
        indices[key] = merged.count
        merged.append(entry)
      }
    }
    return merged
  }
}

/// The properties that entries must have in common to be merged.
private struct MergeKey: Hashable {
  let identifier: String
  let at: Instant
  let outcome: Outcome
}

extension WriteReceipt {
  /// Returns the effects of a write of one event.
  ///
  /// - Throws: the refusal of the event, or a `Problem` if the write is outdated.
  func consequences() throws -> Consequences {
    switch self {
    case .done(let consequences, _): return consequences
    case .refused(let refusal): throw refusal
    case .outdated(let version): throw PreferencesRoutes.outdatedProblem(version)
    }
  }
}

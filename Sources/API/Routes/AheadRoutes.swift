import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Serves the coming notifications of one recipient (rule L2), with the current or with other
/// preferences, or as of a past instant (rule L8). The functions that fire due occurrences also
/// compute this timeline, on a copy of the recipient.
struct AheadRoutes: Sendable {
  let service: any ReminderService
  let preferences: PreferencesRoutes
  let now: @Sendable () -> Instant

  private static let path = "/v1/recipients/{recipient}/ahead"
  private static let daysDefault = 7

  var routes: [Route] {
    [
      Route(.get, Self.path, .ahead, answer: .recipient(show)),
      Route(.post, Self.path, .tryAhead, answer: .recipient(showWithPreferences)),
    ]
  }

  private func show(_ call: Call, _ name: String) async throws -> Response {
    guard let instant = try call.instant("asOf") else {
      let recipient = try await service.recipient(named: name)
      return try await timeline(of: recipient, call, at: now(), by: service.planner)
    }
    let past = try await preferences.work.past(
      ReplayedRecipientQuery(of: name, at: instant), of: name, call)
    return try await timeline(
      of: past.recipient, call, at: instant, by: past.planner, unknownParts: past.unknownParts)
  }

  /// Computes the timeline with other preferences, without writing.
  private func showWithPreferences(_ call: Call, _ name: String) async throws -> Response {
    let document = try await call.object(within: preferences.limits)
    let recipient = try await service.recipient(named: name)
    let (planner, now) = (service.planner, now())
    let form = try PreferencesRoutes.form(call, planner)
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let events: [Event]
    do {
      events = try form.write(document, to: context)
        .events(of: name, now: now, in: planner.catalog.settings)
      try recipient.check(events, madeFrom: "", planner: planner)
    } catch {
      throw Problem(inPreferences: error)
    }
    let changed = try recipient.answer { $0.after(events, now: now, planner: planner) }
      .mapError(Problem.init).get()
    return try await timeline(of: changed, call, at: now, by: planner)
  }

  /// - Parameter unknownParts: the parts of the past that are not known; nil for the present.
  private func timeline(
    of recipient: Recipient, _ call: Call, at now: Instant, by planner: Planner,
    unknownParts: [String]? = nil
  ) async throws -> Response {
    let end = now + .days(try call.number("days", default: Self.daysDefault))
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let ahead: Result<FiringsAhead, UnfinishedPlan>
    do {
      ahead = try await service.work(.people) {
        recipient.answer { $0.firingsAhead(from: now, through: end, planner: planner) }
      }
    } catch {
      throw Problem(error)
    }
    return Response(
      TimelinePayload.self,
      Timeline(
        recipient: recipient, context: context, now: now, end: end,
        ahead: try ahead.mapError(Problem.init).get(), unknownParts: unknownParts))
  }
}

import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Serves the notification settings of the UrbanNest app, with that app's own paths and envelope.
/// The envelope has `success` beside `data` or `message`, also for errors.
struct CustomerRoutes: Sendable {
  let preferences: PreferencesRoutes

  /// The path of the document with all notification settings of a customer.
  private static let document = "/customers/{customer}/notification-preferences"

  var routes: [Route] {
    [
      Route(.get, Self.document, .customerPreferences, answer: .recipient(enveloped(show))),
      Route(
        .put, Self.document, .changeCustomerPreferences, answer: .recipient(enveloped(write))),
      Route(
        .post, "/customers/{customer}/fcm-token", .registerToken,
        answer: .recipient(enveloped(register))),
    ]
  }

  // MARK: - Preferences

  /// Shows a customer's settings; an unknown customer has the app's defaults.
  private func show(_ call: Call, _ name: String) async throws -> Response {
    let (planner, now) = (preferences.service.planner, preferences.now())
    let form = try form(planner)
    let customer = try await preferences.current(name, now: now)
    let context = PlanningContext(facts: customer.facts, planner: planner)
    let document = form.document(of: context, now: now)
    return Response(CustomerPreferencesPayload.self, document)
  }

  private func write(_ call: Call, _ name: String) async throws -> Response {
    let (planner, now) = (preferences.service.planner, preferences.now())
    let form = try form(planner)
    let document = try await call.object(within: preferences.limits)
    let customer = try await preferences.current(name, now: now)
    let context = PlanningContext(facts: customer.facts, planner: planner)
    do {
      let write = try form.write(document, to: context)
      let events = write.events(of: name, now: now, in: planner.catalog.settings)
      try call.caller?.scope.check(events, in: planner.catalog)
      try customer.check(events, madeFrom: "", planner: planner)
      try await submit(events)
    } catch let refusal as Refusal {
      throw Problem(inPreferences: refusal)
    }
    return Response(UpdatedPayload.self, ())
  }

  /// Returns the app's format of preferences; throws if the loaded catalogs do not support it.
  private func form(_ planner: Planner) throws(Problem) -> PreferencesForm {
    do {
      return try PreferencesForm(.urbannest, catalog: planner.catalog)
    } catch {
      throw Problem(.unknownPath, error.description)
    }
  }

  // MARK: - Devices

  /// Registers a device by an event `device.registered`. A token that is already registered adds no
  /// device.
  private func register(_ call: Call, _ name: String) async throws -> Response {
    let (planner, now) = (preferences.service.planner, preferences.now())
    let data = try await call.object(within: preferences.limits)
    let customer = try await preferences.current(name, now: now)
    do {
      let event = try EventReader(planner: planner).event(
        Self.registration(of: name, data), now: now)
      try customer.check(event, planner: planner)
      try await submit([event])
    } catch let refusal as Refusal {
      throw Problem(refusal.inBody())
    }
    return Response(SuccessPayload.self, ())
  }

  private static func registration(of customer: String, _ data: JSONObject) -> JSONValue {
    [
      "specversion": "1.0", "id": .string(Event.newIdentifier()), "source": "chimed",
      "type": "device.registered", "subject": .string(customer), "data": .object(data),
    ]
  }

  private func submit(_ events: [Event]) async throws {
    guard !events.isEmpty else { return }
    do {
      let receipt = try await preferences.service.write(Write(events: events, version: nil))
      if case .refused(let refusal) = receipt { throw refusal.inBody() }
    } catch let unavailable as ServiceUnavailable {
      throw Problem(unavailable)
    }
  }

  // MARK: - The envelope

  /// Returns a route's function with its problems in the app's envelope.
  private func enveloped(
    _ answer: @escaping @Sendable (Call, String) async throws -> Response
  ) -> @Sendable (Call, String) async throws -> Response {
    { call, name in
      do {
        return try await answer(call, name)
      } catch let problem as Problem {
        // After an unread body the connection must end, which the responder ensures.
        guard !problem.kind.leavesBodyUnread else { throw problem }
        return Self.failure(problem)
      }
    }
  }

  private static func failure(_ problem: Problem) -> Response {
    var response = Response(
      FailurePayload.self, problem, status: problem.kind.status)
    for field in problem.headers { response.headers[field.name] = field.value }
    return response
  }
}

struct SuccessPayload: Payload {
  typealias Value = Void
  static let shape = PayloadShape(Self())

  let success = Member("success", .boolean) { _ in true }
}

struct CustomerPreferencesPayload: Payload {
  typealias Value = JSONObject
  static let shape = PayloadShape(Self())

  let success = Member("success", .boolean) { _ in true }
  let data = Member("data", .object(.reference(.customerPreferences))) { $0 }
}

struct UpdatedPayload: Payload {
  typealias Value = Void
  static let shape = PayloadShape(Self())

  let success = Member("success", .boolean) { _ in true }
  let message = Member("message", .text) { _ in "Notification preferences updated" }
}

struct FailurePayload: Payload {
  typealias Value = Problem
  static let shape = PayloadShape(Self(), as: .failure)

  let success = Member("success", .boolean) { _ in false }
  let message = Member("message", .text) { $0.detail }
}

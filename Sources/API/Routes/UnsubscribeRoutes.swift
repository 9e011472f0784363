import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Reminders

/// Links in e-mails by which a person wants no more e-mail of a category (RFC 8058).
///
/// Who has the link has the mail; they are asked nothing else, and are told nothing about anybody.
/// Looking at it changes nothing, for programs look at links too.
struct UnsubscribeRoutes: Sendable {
  let key: CurrentUnsubscribeKey
  let preferences: PreferencesRoutes
  let limiter: RateLimiter
  let forwarding: RequestForwarding?

  private static let path = "/unsubscribe/{token}"
  private static let oneClick = "List-Unsubscribe=One-Click"

  var routes: [Route] {
    [
      Route(
        .get, Self.path, .showUnsubscribing, answer: .everyone(show), isOpenedFromElsewhere: true),
      Route(
        .post, Self.path, .unsubscribe, answer: .everyone(unsubscribe),
        isOpenedFromElsewhere: true),
    ]
  }

  private func show(_ call: Call) async throws -> Response {
    let title = try category(of: subject(call)).title
    return Response(
      page: UnsubscribePage(
        heading: "E-mail about \(title)", text: "Get no more of it?", button: Self.oneClick))
  }

  private func unsubscribe(_ call: Call) async throws -> Response {
    let subject = try subject(call)
    try limiter.admit(
      "unsubscribe \(subject.recipient)", else: "this link has been used too often just now")
    if let response = try await forwarding?.response(
      to: call, of: .unsubscribe, about: subject.recipient)
    {
      return response
    }
    try await checkBody(call)
    let category = try category(of: subject)
    try await switchOff(category, for: subject.recipient)
    return Response(
      page: UnsubscribePage(
        heading: "E-mail about \(category.title)",
        text: "You get no more of it. In the app you can switch it on again.", button: nil))
  }

  private func subject(_ call: Call) throws(Problem) -> UnsubscribeKey.Subject {
    guard let token = call.segments.first, let subject = key.value?.subject(of: token) else {
      throw Problem(
        .unknownLink,
        "this link is not as it was in the e-mail; open it from there, or use the settings of the "
          + "app")
    }
    return subject
  }

  private func category(of subject: UnsubscribeKey.Subject) throws(Problem) -> Category {
    guard
      let category = preferences.service.planner.catalog.categories.first(where: {
        $0.name == subject.category
      }), category.canBeSwitchedOff
    else {
      throw Problem(
        .conflictingLink,
        "e-mail of this kind cannot be switched off, or is not sent any more; nothing was changed")
    }
    return category
  }

  /// A program that follows links sends no such body; a mail reader may send it as a form of
  /// either kind.
  private func checkBody(_ call: Call) async throws(Problem) {
    let body = try await call.body(within: preferences.limits)
    let text = String(decoding: body.readableBytesView.prefix(4_096), as: UTF8.self)
    let isForm = text.trimmingPrefix("\r\n").hasPrefix(Self.oneClick)
    let isMultipart = text.contains("\"List-Unsubscribe\"") && text.contains("One-Click")
    guard !isForm, !isMultipart else { return }
    throw Problem(.malformedText, "the body must be \(Self.oneClick); nothing was changed")
  }

  /// A recipient who is not known any more has nothing to switch off.
  private func switchOff(_ category: Category, for name: String) async throws(Problem) {
    let (service, now) = (preferences.service, preferences.now())
    guard let setting = category.channels.first(where: { $0.channel == .email })?.setting,
      let recipient = try await known(name)
    else { return }
    let planner = service.planner
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    guard context.settings.isOn(setting) else { return }
    let schema = planner.catalog.settings
    let change = SettingChange(path: Symbol(schema.definitions[setting].path), value: 0)
    let events = PreferencesWrite(settings: [change]).events(of: name, now: now, in: schema)
    if case .refused(let refusal) = try await preferences.receipt(of: Write(events: events)) {
      throw Problem(refusal)
    }
  }

  private func known(_ name: String) async throws(Problem) -> Recipient? {
    do {
      return try await preferences.service.recipient(name)
    } catch {
      throw Problem(error)
    }
  }
}

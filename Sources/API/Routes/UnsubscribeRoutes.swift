import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Reminders

/// Serves the links in e-mails that unsubscribe a recipient from a category (RFC 8058).
///
/// The link is the only credential, and the pages contain no personal data. Opening the link
/// changes nothing, because programs open links too.
struct UnsubscribeRoutes: Sendable {
  let key: CurrentLinkKey
  let preferences: PreferencesRoutes
  let limiter: RateLimiter
  let forwarding: RequestForwarding?

  private static let path = "/unsubscribe/{token}"
  private static let oneClick = "List-Unsubscribe=One-Click"

  var routes: [Route] {
    [
      Route(
        .get, Self.path, .showUnsubscribing, answer: .everyone(show), isOpenToOtherSites: true),
      Route(
        .post, Self.path, .unsubscribe, answer: .everyone(unsubscribe),
        isOpenToOtherSites: true),
    ]
  }

  private func show(_ call: Call) async throws -> Response {
    let title = try category(of: subject(call)).title
    return Response(
      page: LinkPage(
        heading: "E-mail about \(title)", text: "Unsubscribe from this e-mail?",
        buttons: [LinkPage.Button(title: "Unsubscribe", field: Self.oneClick)]))
  }

  private func unsubscribe(_ call: Call) async throws -> Response {
    let subject = try subject(call)
    try limiter.admit(
      "unsubscribe \(subject.recipient)", else: "this link was used too often")
    if let response = try await forwarding?.response(
      to: call, of: .unsubscribe, about: subject.recipient)
    {
      return response
    }
    try await checkBody(call)
    let category = try category(of: subject)
    try await switchOff(category, for: subject.recipient)
    return Response(
      page: LinkPage(
        heading: "E-mail about \(category.title)",
        text: "You are unsubscribed. You can switch this e-mail on again in the app."))
  }

  private func subject(_ call: Call) throws(Problem) -> LinkKey.Unsubscription {
    guard let token = call.segments.first, let subject = key.value?.subject(of: token) else {
      throw Problem(
        .unknownLink,
        "this link is incomplete or changed; open it from the e-mail, or use the settings of the "
          + "app")
    }
    return subject
  }

  private func category(of subject: LinkKey.Unsubscription) throws(Problem) -> Category {
    guard
      let category = preferences.service.planner.catalog.categories.first(where: {
        $0.name == subject.category
      }), category.canBeSwitchedOff
    else {
      throw Problem(
        .conflictingLink,
        "e-mail of this kind cannot be switched off, or is no longer sent; nothing was changed")
    }
    return category
  }

  /// Requires the one-click field, which programs that open links do not send. Mail readers may
  /// send it in a URL-encoded or in a multipart form.
  private func checkBody(_ call: Call) async throws(Problem) {
    let body = try await call.body(within: preferences.limits)
    let text = String(decoding: body.readableBytesView.prefix(4_096), as: UTF8.self)
    let isForm = text.trimmingPrefix("\r\n").hasPrefix(Self.oneClick)
    let isMultipart = text.contains("\"List-Unsubscribe\"") && text.contains("One-Click")
    guard !isForm, !isMultipart else { return }
    throw Problem(.malformedText, "the body must be \(Self.oneClick); nothing was changed")
  }

  /// Switches the category's e-mail off, also for single entities; does nothing for an unknown
  /// recipient.
  private func switchOff(_ category: Category, for name: String) async throws(Problem) {
    let (service, now) = (preferences.service, preferences.now())
    guard let recipient = try await service.result(of: RecipientQuery(name)) else { return }
    let planner = service.planner
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let changes = context.changesEndingEmail(of: category)
    guard !changes.isEmpty else { return }
    let events = PreferencesWrite(settings: changes)
      .events(of: name, now: now, in: planner.catalog.settings)
    if case .refused(let refusal) = try await preferences.perform(Write(events: events)) {
      throw Problem(refusal.inBody(under: nil))
    }
  }
}

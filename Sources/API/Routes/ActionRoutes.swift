import Access
import CivilTime
import Cryptography
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Serves the links of actions in notifications (rule H28).
///
/// The link is the only credential. Opening it changes nothing, because programs open links too.
/// The pages contain no text of the notification.
struct ActionRoutes: Sendable {
  let key: CurrentLinkKey
  let service: any ReminderService
  let limiter: RateLimiter
  let forwarding: RequestForwarding?
  let refusals: LinkRefusals
  let limits: APILimits
  let now: @Sendable () -> Instant

  private static let path = "/a/{token}"
  /// The time in which an answer can be undone.
  private static let undoSpan = TimeSpan.minutes(1)

  /// The meaning of a link's token, with its notification.
  private struct Subject {
    /// The action that the link performs or undoes. Its name is empty if the link offers all
    /// actions.
    let action: LinkKey.Action
    /// The event that undoes the action; nil if the link is not for an undo.
    let undo: LinkKey.Undo?
    /// The notification, and the current state of its recipient.
    var found: AnsweredNotificationQuery.Found
    /// The language of the pages.
    let locale: String?

    var recipient: String { found.recipient.name }
    var words: ActionWords { ActionWords(locale) }
  }

  var routes: [Route] {
    [
      Route(
        .get, Self.path, .showAction, answer: .everyone { try await answer($0, show) },
        isOpenToOtherSites: true),
      Route(
        .post, Self.path, .performAction, answer: .everyone { try await answer($0, perform) },
        isOpenToOtherSites: true),
    ]
  }

  /// Answers a request, and counts a refusal by its reason. A browser gets a problem as a page in
  /// the person's language, or else in the browser's language.
  private func answer(
    _ call: Call, _ body: (Call, Subject) async throws -> Response
  ) async throws -> Response {
    var locale = ActionWords.language(accepted: call.request.headers[.acceptLanguage] ?? "")
    do {
      let subject = try await subject(call, else: locale)
      locale = subject.locale
      return try await body(call, subject)
    } catch let problem as Problem {
      if !problem.isServiceFault { refusals.count(problem.kind) }
      guard call.request.headers[.accept]?.contains("text/html") == true else { throw problem }
      return Response(
        page: ActionWords(locale).page(of: problem), status: problem.kind.status,
        headers: problem.headers)
    }
  }

  /// Returns the meaning of a link; throws a refusal if the link or its notification is not valid.
  ///
  /// - Parameter locale: the language for a person without one.
  private func subject(_ call: Call, else locale: String?) async throws -> Subject {
    let undo = call.segments.first.flatMap { key.value?.undo(of: $0) }
    guard let token = call.segments.first,
      let action = undo?.action ?? key.value?.action(of: token)
    else {
      throw Problem(
        .unknownLink,
        "this link is incomplete or changed; open it from the notification, or use the app")
    }
    try limiter.admit(
      "action \(action.notification)", else: "the links of this notification were used too often")
    let found = try await found(action.notification)
    return Subject(
      action: action, undo: undo, found: found,
      locale: found.recipient.facts.profile(.locale) ?? locale)
  }

  private func found(_ notification: String) async throws -> AnsweredNotificationQuery.Found {
    guard let found = try await service.result(of: AnsweredNotificationQuery(notification)) else {
      throw Self.over
    }
    return found
  }

  /// The refusal of a link whose notification can no longer be answered.
  private static let over = Problem(
    .expiredLink, "this notification is over, so it cannot be answered; nothing was changed")

  private func answer(to subject: Subject) throws(Problem) -> ActionAnswer {
    do {
      return try ActionAnswer(
        subject.action.name, to: subject.found.notification, of: subject.found.recipient,
        planner: service.planner, now: now())
    } catch {
      throw Self.problem(error)
    }
  }

  private static func problem(_ obstacle: ActionAnswer.Obstacle) -> Problem {
    switch obstacle {
    case .isOver: over
    case .isUnknown:
      Problem(
        .conflictingLink, "this answer is no longer offered; nothing was changed; use the app")
    }
  }

  // MARK: - Showing

  private func show(_ call: Call, _ subject: Subject) async throws -> Response {
    guard !subject.action.name.isEmpty else { return try choice(subject) }
    if let undo = subject.undo {
      try checkDeadline(of: undo)
      return Response(page: subject.words.undoQuestion)
    }
    let answer = try answer(to: subject)
    return Response(page: subject.words.question(answer.action, in: subject.locale))
  }

  /// The page that offers all actions of a notification.
  private func choice(_ subject: Subject) throws -> Response {
    let past = subject.found.notification
    let actions: [NotificationAction]
    do {
      actions = try ActionAnswer.actions(of: past, planner: service.planner, now: now())
    } catch {
      throw Self.problem(error)
    }
    let buttons = actions.compactMap { action in
      key.value?.token(
        of: LinkKey.Action(notification: subject.action.notification, name: action.name)
      ).map { LinkPage.Button(title: action.titles.title(in: subject.locale), target: $0) }
    }
    return Response(page: subject.words.choice(buttons))
  }

  // MARK: - Performing

  private func perform(_ call: Call, _ original: Subject) async throws -> Response {
    var subject = original
    guard !subject.action.name.isEmpty else {
      throw Problem(.conflictingLink, "choose an answer on the page of this link")
    }
    if let response = try await forwarding?.response(
      to: call, of: .performAction, about: subject.recipient)
    {
      return response
    }
    _ = try await call.body(within: limits)
    // A recipient that was erased while the body arrived must not be created again.
    subject.found = try await found(subject.action.notification)
    if let undo = subject.undo { return try await take(back: undo, subject) }
    let answer = try answer(to: subject)
    try await report(answer.fact, answer.identity, dismissing: answer.snoozeEnd != nil, subject)
    return Response(
      page: subject.words.result(
        answer, of: subject.found.recipient, in: subject.locale, planner: service.planner,
        undo: answer.undo.flatMap { token(of: $0, subject) }))
  }

  private func token(of undo: ActionAnswer.AnswerEvent, _ subject: Subject) -> String? {
    key.value?.token(
      of: LinkKey.Undo(
        of: subject.action, until: (now() + Self.undoSpan).milliseconds, type: undo.type,
        data: String(decoding: JSONWriter.canonical(.object(undo.data)), as: UTF8.self)))
  }

  /// Reports the event that undoes an answer, until the deadline of the link.
  private func take(back undo: LinkKey.Undo, _ subject: Subject) async throws -> Response {
    try checkDeadline(of: undo)
    let past = subject.found.notification
    let data = try JSONParser.parse(undo.data).objectValue ?? [:]
    try await report(
      ActionAnswer.AnswerEvent(type: undo.type, data: data),
      [subject.recipient, past.identifier, subject.action.name, "undo"], isUndo: true, subject)
    return Response(page: subject.words.undone)
  }

  private func checkDeadline(of undo: LinkKey.Undo) throws(Problem) {
    guard now().milliseconds <= undo.deadline else {
      throw Problem(
        .expiredLink, "an answer can be undone for a minute; nothing was changed; use the app")
    }
  }

  // MARK: - Reporting

  /// Reports an event of a recipient. Another report with the same identity changes nothing.
  ///
  /// - Parameters:
  ///   - identity: the texts from which the event's id is computed.
  ///   - isDismissing: whether the notification is dismissed, because it is snoozed.
  ///   - isUndo: whether the event undoes an answer. Only an answer counts as an opening.
  private func report(
    _ fact: ActionAnswer.AnswerEvent, _ identity: [String], dismissing isDismissing: Bool = false,
    isUndo: Bool = false, _ subject: Subject
  ) async throws {
    do {
      let event = try event(fact, identity, subject)
      let opening = isUndo ? nil : try opening(identity, subject)
      guard !isDismissing else {
        return try await snooze([event, opening].compactMap(\.self), subject.action.notification)
      }
      try await submit(event, opening: opening)
    } catch let refusal as Refusal {
      throw Problem(.conflictingLink, "this answer is not possible now: \(refusal)")
    }
  }

  private func event(
    _ fact: ActionAnswer.AnswerEvent, _ identity: [String], _ subject: Subject
  ) throws(Refusal) -> Event {
    try EventReader(planner: service.planner).event(
      [
        "specversion": "1.0", "id": .string(ActionAnswer.identifier(of: identity)),
        "source": .string(Event.ownSource), "type": .string(fact.type),
        "subject": .string(subject.recipient), "data": .object(fact.data),
      ], now: now())
  }

  /// Returns the event that reports an opening of the notification, because an answer counts as
  /// one.
  private func opening(_ identity: [String], _ subject: Subject) throws(Refusal) -> Event {
    let fact = ActionAnswer.AnswerEvent(
      type: "notification.opened",
      data: [
        "notification": .string(subject.action.notification),
        "action": .string(subject.action.name),
      ])
    return try event(fact, identity + ["opened"], subject)
  }

  /// Submits the event of an answer. Then submits the opening, unless the answer is refused.
  private func submit(_ event: Event, opening: Event?) async throws {
    do {
      switch try await service.submit([event]).first {
      case .accepted: await submit(opening)
      case .duplicate:
        // The service may have stopped before it received the opening.
        await submit(opening)
        throw Self.repeated
      case .refused(let refusal) where refusal.kind == .conflict: throw Self.repeated
      case .refused(let refusal): throw refusal
      case .elsewhere, nil:
        throw Problem(.unavailable, "the service is busy; try again", headers: [.retryAfter: "1"])
      }
    } catch let unavailable as ServiceUnavailable {
      throw Problem(unavailable)
    }
  }

  /// Submits an opening. If that fails, the answer still counts, so the person gets no error.
  private func submit(_ opening: Event?) async {
    guard let opening else { return }
    _ = try? await service.submit([opening])
  }

  private static let repeated = Problem(
    .repeatedLink, "this answer was given before; nothing was changed")

  private func snooze(_ events: [Event], _ notification: String) async throws {
    do {
      let write = Write(events: events, dismissed: notification)
      guard case .refused(let refusal) = try await service.write(write) else { return }
      if refusal.path == Write.dismissedPath {
        throw Problem(
          .repeatedLink, "this notification is snoozed or dismissed already; nothing was changed")
      }
      throw refusal
    } catch let unavailable as ServiceUnavailable {
      throw Problem(unavailable)
    }
  }
}

extension ActionAnswer {
  /// The id of the event that reports the answer, the same for a link and for a reply.
  var eventIdentifier: String { Self.identifier(of: identity) }

  /// Returns an event's id, which reveals nothing about the recipient.
  static func identifier(of identity: [String]) -> String {
    let bytes = Array(identity.joined(separator: "\0").utf8)
    return "action-" + Base64URL.encoded(SHA256.digest(bytes))
  }
}

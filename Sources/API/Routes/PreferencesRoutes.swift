import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Shows and changes a recipient's preferences, in the service's own format or in that of an app
/// (rule P1). A write or a dry run is answered with its effects on pending occurrences (rule P5).
struct PreferencesRoutes: Sendable {
  let service: any ReminderService
  /// The limit for questions about past instants.
  let work: HeavyWork
  let limits: APILimits
  let now: @Sendable () -> Instant

  private static let path = "/v1/recipients/{recipient}/preferences"

  var routes: [Route] {
    [
      Route(.get, Self.path, .preferences, answer: .recipient(show)),
      Route(.patch, Self.path, .changePreferences, answer: .recipient(write)),
      Route(.get, Self.path + "/schema", .preferencesSchema, answer: .recipient(describe)),
    ]
  }

  /// Returns the schema of the preferences with titles, from which an app can build a settings
  /// page.
  private func describe(_ call: Call, _ name: String) async throws -> Response {
    let recipient = try await service.recipient(named: name)
    let locale = recipient.facts.profile(.locale)
    let language = try call.language() ?? locale.flatMap { LanguageTag($0) }
    let planner = service.planner
    let page = SettingsPage(
      catalog: planner.catalog, language: language, unroutedChannels: planner.unroutedChannels)
    return Response { $0.value(.object(page.schema.json)) }
  }

  private func show(_ call: Call, _ name: String) async throws -> Response {
    if let instant = try call.instant("asOf") { return try await show(call, name, at: instant) }
    let recipient = try await service.recipient(named: name)
    let planner = service.planner
    let form = try Self.form(call, planner)
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let document = form.document(of: context, now: now())
    return Response { $0.value(.object(document)) }.tagged(recipient.facts.preferencesVersion)
  }

  /// Shows the preferences of a past instant (rule H32).
  private func show(
    _ call: Call, _ name: String, at instant: Instant
  ) async throws -> Response {
    let former = try await work.past(FormerRecipientQuery(of: name, at: instant), of: name, call)
    let form = try Self.form(call, former.planner)
    let context = PlanningContext(facts: former.facts, planner: former.planner)
    let document: JSONObject = [
      "asOf": .string(instant.description),
      "unknown": .array(former.unknownParts.map { .string($0) }),
      "preferences": .object(form.document(of: context, now: instant)),
    ]
    return Response { $0.value(.object(document)) }
  }

  private func write(_ call: Call, _ name: String) async throws -> Response {
    let (planner, now) = (service.planner, now())
    let form = try Self.form(call, planner)
    let isDryRun = try call.isSet("dryRun")
    let version = try Self.version(call.request.headers[.ifMatch])
    let document = try await call.object(within: limits)
    let recipient = try await current(name, now: now)
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let events: [Event]
    do {
      let write = try form.write(document, to: context)
      events = write.events(of: name, now: now, in: planner.catalog.settings)
      try recipient.check(events, madeFrom: "", planner: planner)
    } catch {
      throw Problem(inPreferences: error)
    }
    // An app's format may include an address, which a recipient's own token cannot set.
    try call.caller?.scope.check(events, in: planner.catalog)
    // A document without changes, such as one that an app sends back as it was read, has no events.
    guard !isDryRun, !events.isEmpty else {
      let latest = recipient.facts.preferencesVersion
      if let version, version != latest { throw Self.outdatedProblem(latest) }
      let consequences = try recipient.answer {
        $0.consequences(of: events, now: now, planner: planner)
      }.mapError(Problem.init).get()
      return Self.response(consequences, latest, isDryRun: isDryRun)
    }
    return try await response(to: Write(events: events, version: version))
  }

  private func response(to write: Write) async throws(Problem) -> Response {
    switch try await perform(write) {
    case .refused(let refusal): throw Problem(inPreferences: refusal.inBody())
    case .outdated(let version): throw Self.outdatedProblem(version)
    case .done(let consequences, let version):
      return Self.response(consequences, version, isDryRun: false)
    }
  }

  /// Performs a write; returns the receipt, which may be a refusal.
  func perform(_ write: Write) async throws(Problem) -> WriteReceipt {
    do {
      return try await service.write(write)
    } catch {
      throw Problem(error)
    }
  }

  /// - Parameter version: the current version.
  static func outdatedProblem(_ version: Int64) -> Problem {
    Problem(
      .outdated,
      "the preferences have changed since they were read; read version \(version) and write again; "
        + "nothing was written")
  }

  /// Returns the recipient. An unknown recipient is returned without facts, because a write will
  /// create it.
  func current(_ name: String, now: Instant) async throws(Problem) -> Recipient {
    try await service.result(of: RecipientQuery(name)) ?? Recipient(name: name, now: now)
  }

  // MARK: - Parameters

  static func form(_ call: Call, _ planner: Planner) throws(Problem) -> PreferencesForm {
    let name: PreferencesForm.Name = try call.enumValue("form") ?? .own
    do {
      return try PreferencesForm(name, catalog: planner.catalog)
    } catch {
      throw Problem(.invalidParameter, "\(error)", path: "form")
    }
  }

  /// Returns the version in an entity tag such as "17" (RFC 9110, section 13.1.1); nil if there is
  /// no tag, or if it is `*`. In both cases every version matches.
  static func version(_ tag: String?) throws(Problem) -> Int64? {
    guard let tag, tag != "*" else { return nil }
    let isQuoted = tag.count > 2 && tag.first == "\"" && tag.last == "\""
    if isQuoted, let version = Int64(tag.dropFirst().dropLast()) { return version }
    throw Problem(
      .invalidParameter,
      "If-Match must be the ETag of the preferences that you read, such as \"17\"")
  }

  static func response(
    _ consequences: Consequences, _ version: Int64, isDryRun: Bool
  ) -> Response {
    let value = ConsequencesPayload.Value(
      version: version, isDryRun: isDryRun, consequences: consequences)
    return Response(ConsequencesPayload.self, value).tagged(version)
  }
}

extension FormerRecipient {
  /// The parts of the past that are not known.
  fileprivate var unknownParts: [String] {
    var parts: [String] = []
    if let missingZones { parts.append("the time zone rules of \(missingZones)") }
    if unreadableEventCount > 0 { parts.append("\(unreadableEventCount) events") }
    return parts
  }
}

extension Response {
  /// Returns the response with an entity tag.
  func tagged(_ version: Int64) -> Response {
    var response = self
    response.headers[.eTag] = "\"\(version)\""
    return response
  }
}

extension PreferencesWrite {
  /// Returns the events that report the changes of a write.
  func events(
    of recipient: String, now: Instant, in schema: SettingsSchema
  ) -> [Event] {
    var events: [Event] = []
    func add(_ type: String, _ content: Event.Content, _ data: JSONObject) {
      events.append(
        Event(
          identifier: Event.newIdentifier(), source: "chimed", type: type,
          recipient: recipient, time: now, isTimeGiven: false, content: content,
          data: JSONWriter.canonical(.object(data))))
    }
    if !settings.isEmpty {
      let data = PreferencesDocument.partial(settings, in: schema)
      add("preferences.updated", .preferences(settings), data)
    }
    if !profile.isEmpty {
      var data = JSONObject()
      for change in profile { data[change.field.name] = change.value.map { .string($0) } ?? .null }
      add("recipient.updated", .profile(profile), data)
    }
    return events
  }
}

import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Reminders

extension PreferencesRoutes {
  /// The maximum number of attempts at a write without If-Match. An attempt fails if another write
  /// changed the preferences after they were read.
  private static let attemptsMax = 8

  /// Computes events from the recipient's current facts, writes them, and returns their effects
  /// (rule P5). With `dryRun`, nothing is written.
  ///
  /// - Parameters:
  ///   - root: the member of the body that becomes the events' data; nil without a body.
  ///   - events: returns the events to write; none if nothing changes.
  func change(
    _ call: Call, of name: String, from root: String? = nil,
    events: (PlanningContext) throws(Problem) -> [Event]
  ) async throws(Problem) -> Response {
    let planner = service.planner
    let isDryRun = try call.isSet("dryRun")
    let expected = try Self.version(call.request.headers[.ifMatch])
    var latestVersion: Int64 = 0
    for _ in 0..<Self.attemptsMax {
      let recipient = try await current(name, now: now())
      let version = recipient.facts.preferencesVersion
      if let expected, expected != version { throw Self.outdatedProblem(version) }
      let events = try events(PlanningContext(facts: recipient.facts, planner: planner))
      do {
        try recipient.check(events, madeFrom: root, planner: planner)
      } catch {
        throw Problem(inPreferences: error)
      }
      guard !isDryRun, !events.isEmpty else {
        let now = now()
        let consequences = try recipient.answer {
          $0.consequences(of: events, now: now, planner: planner)
        }.mapError(Problem.init).get()
        return Self.response(consequences, version, isDryRun: isDryRun)
      }
      switch try await perform(Write(events: events, version: version)) {
      case .refused(let refusal): throw Problem(inPreferences: refusal.inBody(under: root))
      case .done(let consequences, let version):
        return Self.response(consequences, version, isDryRun: false)
      case .outdated(let version):
        if expected != nil { throw Self.outdatedProblem(version) }
        latestVersion = version
      }
    }
    throw Self.outdatedProblem(latestVersion)
  }

  /// Computes changes of settings from the recipient's current facts, writes them, and returns
  /// their effects. With `dryRun`, nothing is written.
  func changeSettings(
    _ call: Call, of name: String, from root: String? = nil,
    _ changes: (PlanningContext) throws(Problem) -> [SettingChange]
  ) async throws(Problem) -> Response {
    try await change(call, of: name, from: root) { (context) throws(Problem) in
      PreferencesWrite(settings: try changes(context)).events(
        of: name, now: now(), in: context.catalog.settings)
    }
  }

  /// Refuses a request with a body.
  func checkNoBody(_ call: Call) async throws(Problem) {
    guard try await call.body(within: limits).readableBytes > 0 else { return }
    throw Problem(.malformedText, "the body must be empty")
  }
}

/// Exports and imports a recipient's settings, and resets them to the defaults (rule P4).
struct PreferencesCopyRoutes: Sendable {
  let preferences: PreferencesRoutes

  private static let path = "/v1/recipients/{recipient}/preferences"

  var routes: [Route] {
    [
      Route(.get, Self.path + "/export", .exportPreferences, answer: .recipient(export)),
      Route(.post, Self.path + "/import", .importPreferences, answer: .recipient(importSettings)),
      Route(.post, Self.path + "/reset", .resetPreferences, answer: .recipient(reset)),
    ]
  }

  private func export(_ call: Call, _ name: String) async throws -> Response {
    let recipient = try await preferences.service.recipient(named: name)
    let context = PlanningContext(facts: recipient.facts, planner: preferences.service.planner)
    let document = PreferencesExport(context).document
    return Response { $0.value(.object(document)) }.tagged(recipient.facts.preferencesVersion)
  }

  private func importSettings(_ call: Call, _ name: String) async throws -> Response {
    let document = try await call.object(within: preferences.limits)
    return try await preferences.changeSettings(call, of: name, from: "preferences") {
      (context) throws(Problem) in
      try Self.changes(importing: document, to: context)
    }
  }

  private static func changes(
    importing document: JSONObject, to context: PlanningContext
  ) throws(Problem) -> [SettingChange] {
    do {
      return try PreferencesExport(context).changes(importing: document)
    } catch {
      throw Problem(inPreferences: error)
    }
  }

  private func reset(_ call: Call, _ name: String) async throws -> Response {
    try await preferences.checkNoBody(call)
    return try await preferences.changeSettings(call, of: name) {
      PreferencesExport($0).resetChanges
    }
  }
}

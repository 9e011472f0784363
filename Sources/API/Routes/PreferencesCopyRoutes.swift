import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// A person's settings to be kept elsewhere and brought back, and the way back to the defaults
/// (rule P4).
struct PreferencesCopyRoutes: Sendable {
  let preferences: PreferencesRoutes

  private static let path = "/v1/recipients/{recipient}/preferences"

  var routes: [Route] {
    [
      Route(.get, Self.path + "/export", .exportPreferences, answer: .recipient(export)),
      Route(.post, Self.path + "/import", .importPreferences, answer: .recipient(bringBack)),
      Route(.post, Self.path + "/reset", .resetPreferences, answer: .recipient(reset)),
    ]
  }

  private func export(_ call: Call, _ name: String) async throws -> Response {
    let recipient = try await preferences.service.known(name)
    let situation = Situation(facts: recipient.facts, planner: preferences.service.planner)
    let document = PreferencesExport(situation).document
    return Response { $0.value(.object(document)) }.tagged(recipient.facts.preferencesVersion)
  }

  private func bringBack(_ call: Call, _ name: String) async throws -> Response {
    let document = try preferences.read(await call.body(within: preferences.limits))
    return try await preferences.changeSettings(call, of: name) { (situation) throws(Problem) in
      try Self.changes(importing: document, to: situation)
    }
  }

  private static func changes(
    importing document: JSONObject, to situation: Situation
  ) throws(Problem) -> [SettingChange] {
    do {
      return try PreferencesExport(situation).changes(importing: document)
    } catch {
      throw Problem(error)
    }
  }

  private func reset(_ call: Call, _ name: String) async throws -> Response {
    try await preferences.checkNoBody(call)
    return try await preferences.changeSettings(call, of: name) { PreferencesExport($0).resetting }
  }
}

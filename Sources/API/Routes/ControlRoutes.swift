package import Engine
import HTTPTypes
import HummingbirdCore
import JSON

/// Operations of administrators on the running service.
struct ControlRoutes: Sendable {
  let control: any ServiceControl
  let limits: APILimits

  var routes: [Route] {
    [
      Route(.post, "/v1/reload", .reload, answer: .administrator(reload)),
      Route(.post, "/v1/configuration-checks", .checkConfiguration, answer: .administrator(check)),
      Route(.get, "/v1/configuration", .configuration, answer: .administrator(configuration)),
      Route(.get, "/v1/log-level", .logLevel, answer: .observer(logLevel)),
      Route(.put, "/v1/log-level", .setLogLevel, answer: .administrator(setLogLevel)),
    ]
  }

  private func reload(_ call: Call) async throws -> Response {
    let report: ReloadReport
    do {
      report = try await control.reload()
    } catch {
      throw error.unavailable.map(Problem.init)
        ?? Problem(.reloadRejected, error.description, faults: error.faults)
    }
    return Response(ReloadPayload.self, report)
  }

  private func check(_ call: Call) async throws -> Response {
    let findings = await control.check()
    return Response(FindingsPayload.self, findings)
  }

  private func configuration(_ call: Call) async throws -> Response {
    Response(ConfigurationPayload.self, control.configuration)
  }

  private func logLevel(_ call: Call) async throws -> Response { levelResponse }

  private func setLogLevel(_ call: Call) async throws -> Response {
    let level = try await call.body(LogLevelBody.self, within: limits).level
    let previousLevel = control.logLevel
    control.setLogLevel(level)
    call.audit.setSubject("\(level.rawValue), which was \(previousLevel.rawValue)")
    return levelResponse
  }

  private var levelResponse: Response { Response(LogLevelPayload.self, control.logLevel) }
}

struct LogLevelBody: RequestPayload {
  static let shape = BodyShape(Self())

  let level = Member<LogLevel>("level", .word)
}

package struct ReloadPayload: Payload {
  package typealias Value = ReloadReport
  package static let shape = PayloadShape(Self())

  package let status = Member("status", .text(.constant("reloaded"))) { _ in "reloaded" }
  package let restart = Member(
    "restart", .list(.text), "Changed settings that need a restart"
  ) { $0.restart }
  package let ended = Member(
    "ended", .list(.payload(EndedReminderPayload.self)),
    "Reminders that lose occurrences: all pending ones if no catalog declares the reminder now, "
      + "otherwise held ones that are no longer planned"
  ) { $0.ended }
  package let unavailable = Member(
    "unavailable", .list(.text), "Sinks that cannot be created, each with the reason"
  ) { $0.unavailable }
  package let outdatedSinkMessages = Member(
    "outdated", .list(.text),
    "Sinks that continue with their former settings, because they cannot be created with the new "
      + "ones; a sentence each"
  ) { $0.outdatedSinkMessages }
  package let secretsReadOnlyAtStart = Member(
    "fixedSecrets", .list(.text),
    "Secrets from systemd, which only a restart reads again"
  ) { $0.secretsReadOnlyAtStart }
}

package struct EndedReminderPayload: Payload {
  package typealias Value = EndedReminder
  package static let shape = PayloadShape(Self())

  package let reminder = Member("reminder", .text) { $0.reminder }
  package let people = Member("people", .count) { $0.people }
  package let occurrences = Member("occurrences", .count) { $0.occurrences }
}

struct FindingsPayload: Payload {
  typealias Value = ConfigurationFindings
  static let shape = PayloadShape(Self())

  let sound = Member("sound", .boolean) { $0.flaw == nil }
  let flaw = Member("flaw", orNull: .text, "All problems, a line each") { $0.flaw }
  let problems = Member("problems", .list(.payload(FaultPayload.self))) { $0.faults }
  let sinks = Member("sinks", .text, "Changes of the sinks; empty if there are none") { $0.sinks }
  let restart = Member("restart", .list(.text), "Changed settings that need a restart") {
    $0.restart
  }
}

package struct LogLevelPayload: Payload {
  package typealias Value = LogLevel
  package static let shape = PayloadShape(Self())

  package let level = Member("level", .word) { $0 }
}

package struct ConfigurationPayload: Payload {
  package typealias Value = ShownConfiguration
  package static let shape = PayloadShape(Self())

  package let file = Member("file", orNull: .text) { $0.file }
  package let settings = Member("settings", .list(.payload(SettingPayload.self))) { $0.settings }
}

package struct SettingPayload: Payload {
  package typealias Value = ShownConfiguration.Setting
  package static let shape = PayloadShape(Self())

  package let name = Member("name", .text) { $0.name }
  package let value = Member("value", orNull: .text) { $0.value }
  package let hidden = Member("hidden", .boolean) { $0.value == nil }
  package let from = Member("from", .word) { $0.origin }
  package let line = Member("line", optional: .integer(.integer(1...Int64.max))) { $0.line }
}

import CivilTime
import Engine
import JSON
import Outbox
import Reminders
import Testing

/// Refusals to cancel or snooze name the caller's own parameters.
@Suite(.timeLimit(.minutes(2))) struct ScheduledRefusalTests {
  private static let path = "/v1/recipients/sarah"

  private static func trial() async throws -> LiveService {
    let service = try LiveService("trials", at: "2026-03-02T02:00:00Z") {
      $0.map { _ in .delivered }
    }
    let data: JSONValue = ["trial": "1", "name": "Spotify", "ends": "2026-03-10T20:00:00Z"]
    try await service.ingest("trial.started", data, of: "sarah")
    return service
  }

  /// The path names the reminder, and the body contains the other parameters. The caller sent no
  /// event data, so a refusal names no member of such data.
  @Test func `N4: a refusal names the caller's path and members`() async throws {
    let service = try await Self.trial()
    try await TestServer.serving(service) { server in
      func refusal(_ target: String, _ body: String) async throws -> (
        status: Int, detail: String, path: JSONValue?
      ) {
        let reply = try await server.post(body, to: Self.path + "/scheduled/\(target)/snooze")
        let json = try reply.json
        return (reply.status, json["detail"]?.stringValue ?? "", json["path"])
      }
      let page = try await server.get(Self.path + "/scheduled").json
      let reminder = try #require(page["scheduled"]?[0]?["reminder"]?.stringValue)
      let unknown = try await refusal("nothing", #"{"for":"1h"}"#)
      #expect(
        unknown.status == 404
          && unknown.detail.hasPrefix(#"the reminder "nothing" is not declared"#))
      let cancelled = try await server.call("DELETE", Self.path + "/scheduled/nothing")
      #expect(try cancelled.json["detail"]?.stringValue == unknown.detail)
      let gone = try await refusal(reminder + "~7", #"{"for":"1h"}"#)
      #expect(gone.status == 404 && gone.detail.hasPrefix("the occurrence 7 is not pending"))
      let tooEarly = try await refusal(reminder, #"{"until":"2026-03-02T03:00:00Z"}"#)
      #expect(
        tooEarly.status == 422 && tooEarly.detail.hasPrefix("until is before")
          && tooEarly.path == "until")
      let tooLate = try await refusal(reminder, #"{"for":"400d"}"#)
      #expect(
        tooLate.status == 422 && tooLate.detail.hasPrefix("for must end in the future")
          && tooLate.path == "for")
      let withoutTime = try await refusal(reminder, "{}")
      #expect(withoutTime.status == 422 && withoutTime.detail.hasPrefix("needs one of"))
    }
  }
}

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
  /// event data.
  @Test func `N4: a refusal names the caller's path and members`() async throws {
    let service = try await Self.trial()
    try await TestServer.serving(service) { server in
      func refusal(_ target: String, _ body: String) async throws -> (Int, String, JSONValue?) {
        let reply = try await server.post(body, to: Self.path + "/scheduled/\(target)/snooze")
        let json = try reply.json
        return (reply.status, json["detail"]?.stringValue ?? "", json["path"])
      }
      let page = try await server.get(Self.path + "/scheduled").json
      let known = try #require(page["scheduled"]?[0]?["reminder"]?.stringValue)
      let unknown = try await refusal("nothing", #"{"for":"1h"}"#)
      #expect(unknown.0 == 404 && unknown.1.hasPrefix(#"the reminder "nothing" is not declared"#))
      let cancelled = try await server.call("DELETE", Self.path + "/scheduled/nothing")
      #expect(try cancelled.json["detail"]?.stringValue == unknown.1)
      let gone = try await refusal(known + "~7", #"{"for":"1h"}"#)
      #expect(gone.0 == 404 && gone.1.hasPrefix("the occurrence 7 is not pending"))
      let early = try await refusal(known, #"{"until":"2026-03-02T03:00:00Z"}"#)
      #expect(early.0 == 422 && early.1.hasPrefix("until is before") && early.2 == "until")
      let late = try await refusal(known, #"{"for":"400d"}"#)
      #expect(late.0 == 422 && late.1.hasPrefix("for must end in the future") && late.2 == "for")
      let neither = try await refusal(known, "{}")
      #expect(neither.0 == 422 && neither.1.hasPrefix("needs one of"))
    }
  }
}

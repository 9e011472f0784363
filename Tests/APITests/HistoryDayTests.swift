import CivilTime
import Engine
import JSON
import Outbox
import Reminders
import Testing

/// A recipient's history by dates of the recipient's zone.
@Suite(.timeLimit(.minutes(2))) struct HistoryDayTests {
  private static let path = "/v1/recipients/sarah"

  /// Returns a service with the recipient `sarah` in a zone. Her trial of a subscription ends on 10
  /// March.
  private static func trial(in zone: String) async throws -> LiveService {
    let service = try LiveService("trials", at: "2026-03-02T02:00:00Z") {
      $0.map { _ in .delivered }
    }
    try await service.ingest("recipient.updated", ["timezone": .string(zone)], of: "sarah")
    let data: JSONValue = ["trial": "1", "name": "Spotify", "ends": "2026-03-10T20:00:00Z"]
    try await service.ingest("trial.started", data, of: "sarah")
    return service
  }

  /// In Apia a day ends 13 hours before it ends in UTC.
  @Test func `N6: history is filtered by dates of the recipient's zone`() async throws {
    let service = try await Self.trial(in: "Pacific/Apia")
    try service.run(to: "2026-03-30T00:00:00Z")
    try await TestServer.serving(service) { server in
      func listedDates(_ query: String) async throws -> [String] {
        let page = try await server.get(Self.path + "/notifications?limit=1000&part=all" + query)
          .json
        let entries = page["notifications"]?.arrayValue ?? []
        return entries.compactMap { $0["local"]?.stringValue.map { String($0.prefix(10)) } }
      }
      let allDates = try await listedDates("")
      #expect(Set(allDates).count > 2)
      for date in Set(allDates) {
        #expect(try await listedDates("&from=\(date)&to=\(date)") == allDates.filter { $0 == date })
        #expect(try await listedDates("&from=\(date)") == allDates.filter { $0 >= date })
        #expect(try await listedDates("&to=\(date)") == allDates.filter { $0 <= date })
      }
      let instantToDate = "&from=2026-03-02T00:00:00Z&to=\(allDates[0])"
      #expect(try await listedDates(instantToDate) == allDates)
      let invalidDate = try await server.get(Self.path + "/notifications?to=2026-02-30")
      #expect(invalidDate.status == 400)
      #expect(invalidDate.text.contains("a time such as 2026-03-02T21:00:00Z or a date such as"))
      let nobody = "/v1/recipients/nobody/notifications?from=2026-03-02"
      #expect(try await server.get(nobody).status == 404)
    }
  }
}

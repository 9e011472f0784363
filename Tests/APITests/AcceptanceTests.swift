import JSON
import Reminders
import Testing

@testable import API

/// Rule H2: variants of valid input are accepted, and a refusal names the fault.
@Suite(.timeLimit(.minutes(1))) struct AcceptanceTests {
  private func event(_ members: String) -> String {
    Fixtures.event("e1", type: "preferences.updated", members: members)
  }

  @Test func `H8: data in base64 is decoded`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      // {"master":false}
      let encoded = #""data_base64":"eyJtYXN0ZXIiOmZhbHNlfQ==""#
      #expect(try await server.post(event(encoded)).status == 202)
      let decoded = service.events.map { String(decoding: $0.data, as: UTF8.self) }
      #expect(decoded == ["{\"master\":false}"])
      let invalidMembers: [String] = [
        #""data_base64":"?""#, #""data_base64":"e30=x""#, #""data_base64":1"#,
        encoded + #","data":{"master":true}"#,
      ]
      for members in invalidMembers {
        let refused = try await server.post(event(members))
        #expect(refused.status == 422)
        #expect(try refused.json["path"] == "data_base64")
      }
    }
  }

  @Test func `H8: a mistyped data_base64 is refused with a correction`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      let refused = try await server.post(event(#""database64":"eyJtYXN0ZXIiOmZhbHNlfQ==""#))
      #expect(refused.status == 422)
      let detail = try refused.json["detail"]?.stringValue
      #expect(
        detail == "database64 is not a member of an event; did you mean \"data_base64\"?")
      let accepted = try await server.post(event(#""database":"primary","data":{"master":true}"#))
      #expect(accepted.status == 202)
    }
    #expect(service.events.count == 1)
  }

  @Test func `CRLF line breaks and tabs in texts are normalized`() async throws {
    let service = try FakeService()
    let members = #""data":{"category":"CHECKIN","title":"a\tb","body":"one\r\ntwo"}"#
    let event = Fixtures.event("e1", type: "notification.requested", members: members)
    try await TestServer.serving(service) { server in
      let status = try await server.post(event).status
      #expect(status == 202)
    }
    #expect(texts(service) == ["a b", "one\ntwo"])
  }

  private func texts(_ service: FakeService) -> [String] {
    service.events.flatMap { event -> [String] in
      guard case .request(let request) = event.content else { return [] }
      return [request.title, request.body]
    }
  }

  @Test func `H2: a refusal of preferences has its own type and names the path`() async throws {
    let service = try FakeService()
    service.set { $0.recipients["r1"] = Recipient(name: "r1", now: Fixtures.now) }
    try await TestServer.serving(service) { server in
      let path = "/v1/recipients/r1/"
      let invalidRequests: [(method: String, resource: String, body: String, faultPath: String)] = [
        ("PATCH", "preferences", #"{"mastr":true}"#, "mastr"),
        ("PATCH", "preferences", #"{"quietHours":{"start":"25:00"}}"#, "quietHours.start"),
        ("POST", "ahead", #"{"mastr":true}"#, "mastr"),
        ("POST", "ahead", #"{"quietHours":{"start":"25:00"}}"#, "quietHours.start"),
      ]
      for (method, resource, body, faultPath) in invalidRequests {
        let refused = try await server.call(method, path + resource, body: body)
        #expect(refused.status == 422)
        let problem = try refused.json
        #expect(problem["type"] == "urn:chimed:problem:unacceptable-preferences")
        #expect(problem["title"] == "The preferences are not acceptable")
        #expect(problem["path"]?.stringValue == faultPath, "\(refused.text)")
      }
    }
  }

  @Test(arguments: [("/v1/catalog-checks", 1 << 20), ("/v1/events", 8 << 20)])
  func `H3: a body beyond the limit is refused before it is sent`(
    path: String, limit: Int
  ) async throws {
    try await TestServer.serving(FakeService()) { server in
      for (length, statusLine) in [(limit, "HTTP/1.1 100"), (limit + 1, "HTTP/1.1 413")] {
        try await RawConnection.opened(to: server) { connection in
          try await connection.send(
            "POST \(path) HTTP/1.1\r\nContent-Type: application/json\r\n"
              + "Expect: 100-continue\r\nContent-Length: \(length)\r\n\r\n")
          let answer = try await connection.receive(until: "\r\n\r\n")
          #expect(answer.hasPrefix(statusLine), "\(answer)")
        }
      }
    }
  }
}

import ArgumentParser
import JSON
import Testing

@testable import chimectl

/// Tests the client against the service's HTTP interface.
@Suite struct ServiceClientTests {
  private func event(_ type: String) -> EventDocument {
    EventDocument(
      identifier: "i", source: "s", type: type, recipient: "u", time: nil, data: [:])
  }

  @Test func `an event is accepted`() async throws {
    try await TestService.serving { socket in
      try await ServiceClient.connected(to: socket) { client in
        let answer = try await client.send(event("relapse"))
        #expect(answer == ["id": "i", "status": "accepted"])
      }
    }
  }

  @Test func `a refusal is printed with its hint`() async throws {
    try await TestService.serving { socket in
      let failure = await #expect(throws: CommandError.self) {
        try await ServiceClient.connected(to: socket) { try await $0.send(event("relaps")) }
      }
      #expect(failure?.code == .data)
      #expect(failure?.message == "type \"relaps\" is not declared")
      #expect(failure?.hint == "did you mean \"relapse\"?")
    }
  }

  @Test func `lines are answered one by one`() async throws {
    try await TestService.serving { socket in
      try await ServiceClient.connected(to: socket) { client in
        let lines = event("relapse").bytes + Array("\n{}\n".utf8)
        let answers = try await client.send(lines: lines)
        #expect(answers.map { $0["status"] } == ["accepted", "refused"])
      }
    }
  }

  @Test func `all pages become one document`() async throws {
    try await TestService.serving { socket in
      let command = try await PendingCommand.asyncParse([TestService.recipient])
      let document = try await ServiceClient.connected(to: socket) {
        try await command.joinedPages($0)
      }
      let reminders = document["pending"]?.arrayValue?.map { $0["reminder"] }
      #expect(reminders == (0..<2_500).map { .string("r\($0)") })
      #expect(document["recipient"] == .string(TestService.recipient))
      #expect(document["next"] == .null)
    }
  }

  @Test func `a missing service is reported as unavailable`() async throws {
    let failure = await #expect(throws: CommandError.self) {
      try await ServiceClient.connected(to: "/tmp/chimed-test-none") {
        try await $0.document("/v1/status")
      }
    }
    #expect(failure?.code == .unavailable)
    #expect(failure?.message == "chimed is not listening at /tmp/chimed-test-none")
    #expect(failure?.hint == ServiceClient.startHint)
  }

  @Test(arguments: [("a-b_9", "a-b_9"), ("a/b c", "a%2Fb%20c"), ("é\u{1}.", "%C3%A9%01%2E")])
  func `segments of paths are percent-encoded`(text: String, segment: String) {
    #expect(ServiceClient.segment(text) == segment)
  }
}

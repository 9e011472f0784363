import ArgumentParser
import JSON
import Testing

@testable import chimectl

@Suite struct EraseTests {
  @Test func `erase requires --yes`() async throws {
    await #expect(throws: (any Error).self) { try await EraseCommand.asyncParse(["u1"]) }
    #expect(try await EraseCommand.asyncParse(["u1", "--yes"]).recipient == "u1")
  }

  @Test func `erase reports files that still have to be cleaned`() throws {
    #expect(try EraseCommand.text(of: ["recipient": "u1"]) == "erased u1\n")
    #expect(
      try EraseCommand.text(of: ["recipient": "u1", "remains": "it is recorded"])
        == "erased u1\nit is recorded; chimectl status shows an unfinished erasure until then\n")
  }

  @Test func `a recipient is erased and exported`() async throws {
    try await TestService.serving { socket in
      try await ServiceClient.connected(to: socket) { client in
        let path = "/v1/recipients/" + ServiceClient.segment(TestService.recipient)
        let export = try await client.document(path + "/export")
        #expect(export["recipient"] == .string(TestService.recipient))
        #expect(export["events"] == [] && export["notifications"] == [])
        #expect(try await client.delete(path)["recipient"] == .string(TestService.recipient))
      }
    }
  }
}

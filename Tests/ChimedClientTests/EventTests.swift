import Foundation
import Testing

@testable import ChimedClient

/// Events and their results as JSON.
@Suite struct EventTests {
  private func document(_ event: ChimedEvent) throws -> ChimedValue {
    try ChimedDocument.decode(ChimedValue.self, from: try event.document())
  }

  @Test func `E1: an event has its attributes and data`() throws {
    var event = try ChimedEvent(
      "lesson.completed", of: "u\"1", source: "app", identifier: "e1",
      time: Date(timeIntervalSince1970: 0.5), data: ["day": 2])
    event.attributes = ["traceparent": "00-4b-00-01", "id": "other"]
    let expected: [String: ChimedValue] = [
      "specversion": .string("1.0"), "id": .string("e1"), "source": .string("app"),
      "type": .string("lesson.completed"), "subject": .string("u\"1"),
      "time": .string("1970-01-01T00:00:00.500Z"), "traceparent": .string("00-4b-00-01"),
      "data": .object(["day": .number(2)]),
    ]
    #expect(try document(event) == .object(expected))
  }

  @Test func `E1: an event without data and time has neither`() throws {
    let document = try document(ChimedEvent("relapse", of: "u1"))
    #expect(document.value(at: "data") == nil && document.value(at: "time") == nil)
  }

  @Test func `data that JSON cannot express is refused before anything is sent`() {
    #expect(throws: ChimedError.self) {
      try ChimedEvent("lesson.completed", of: "u1", data: ["day": Double.infinity])
    }
  }

  @Test func `a refusal in a batch has its problem`() throws {
    let text = """
      {"status": "refused", "problem": {"status": 422, "type": "urn:x", "detail": "type is wrong",
       "path": "type"}}
      """
    let item = try ChimedDocument.decode(ChimedReceipt.Item.self, from: Data(text.utf8))
    let problem = ChimedProblem(
      status: 422, type: "urn:x", detail: "type is wrong", path: "type")
    #expect(try ChimedReceipt(item) == .refused(problem))
  }

  @Test func `an unknown result is an error`() throws {
    let item = ChimedReceipt.Item(status: "postponed", problem: nil)
    #expect(throws: ChimedError.self) { try ChimedReceipt(item) }
  }

  @Test func `a problem contains the time to wait before a retry`() {
    let headers = ReplyHeaders(status: 503, ["RETRY-AFTER": "5"])
    let problem = ChimedProblem(headers, document: Data("<html>".utf8))
    #expect(
      problem
        == ChimedProblem(
          status: 503, detail: "the service answered 503", retryAfter: .seconds(5)))
  }

  @Test func `a device has its platform and token`() throws {
    let device = ChimedDevice(id: "d1", apnsToken: [0x0a, 0xff])
    let event = try ChimedEvent("device.registered", of: "u1", data: device)
    #expect(
      try document(event).value(at: "data")
        == .object([
          "deviceId": .string("d1"), "platform": .string("ios"), "token": .string("0aff"),
        ]))
  }

  @Test(arguments: [
    "", "example.org", "/run/s", "ftp://example.org", "https://", "https://a?b", "https://a#b",
    "https://u@a",
  ])
  func `an invalid address is refused`(address: String) {
    let error = #expect(throws: ChimedError.self) { try ChimedClient(address, token: "t") }
    #expect(error?.description.contains("is not the address of a service") == true)
  }

  @Test func `an address may have a path`() throws {
    let chimed = try ChimedClient("https://chimed.example.org/a/", token: "t")
    #expect(chimed.address == "https://chimed.example.org/a")
    #expect(ChimedClient.path(of: "a/b é.", "inbox") == "/v1/recipients/a%2Fb%20%C3%A9%2E/inbox")
  }
}

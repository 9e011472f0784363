import CivilTime
import JSON
import Reminders
import Testing

@Suite struct EventTests {
  @Test func `a new event is accepted`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      let event = Fixtures.event("e1", members: #""time":"2026-03-01T21:00:00Z","data":{}"#)
      let reply = try await server.post(event, as: "application/cloudevents+json")
      #expect(reply.status == 202)
      #expect(reply.contentType == "application/json")
      #expect(reply.text == #"{"id":"e1","status":"accepted"}"#)
    }
    #expect(service.groups == [["e1"]])
    #expect(service.events.map(\.time.description) == ["2026-03-01T21:00:00.000Z"])
  }

  @Test func `an event without a time gets the time of its arrival`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      let reply = try await server.post(Fixtures.event("e1"))
      #expect(reply.status == 202)
    }
    #expect(service.events.map(\.time) == [Fixtures.now])
    #expect(service.events.map(\.isTimeGiven) == [false])
  }

  @Test func `an event that is sent again is a duplicate`() async throws {
    try await TestServer.serving(FakeService()) { server in
      _ = try await server.post(Fixtures.event("e1"))
      let reply = try await server.post(Fixtures.event("e1"))
      #expect(reply.status == 200)
      #expect(reply.text == #"{"id":"e1","status":"duplicate"}"#)
    }
  }

  @Test func `E8: an expired request and one years ahead are answered with a warning`() async throws
  {
    try await TestServer.serving(FakeService()) { server in
      let request = """
        {"specversion": "1.0", "id": "e1", "source": "app", "type": "notification.requested",
          "subject": "u1", "data": {"category": "CHECKIN", "title": "T", "body": "B",
          "at": "2020-03-01T21:00:00Z"}}
        """
      let reply = try await server.post(request)
      #expect(reply.status == 202)
      let warning = try reply.json["warnings"]?.arrayValue?.first?.stringValue
      #expect(warning?.contains("has expired at 2020-03-02T21:00:00.000Z") == true)
      let farRequest = request.replacing("e1", with: "e2").replacing("2020", with: "2099")
      let batch = try await server.post("[\(farRequest)]").json
      #expect(batch["items"]?.arrayValue?.first?["warnings"]?.arrayValue?.count == 1)
      let repeated = try await server.post(request)
      #expect(repeated.text == #"{"id":"e1","status":"duplicate"}"#)
    }
  }

  @Test func `an id with different content is a conflict`() async throws {
    let service = try FakeService()
    service.set { $0.conflicts = ["e1"] }
    try await TestServer.serving(service) { server in
      let reply = try await server.post(Fixtures.event("e1"))
      #expect(reply.status == 409)
      #expect(try reply.json["detail"] == "id was used before for another event")
      #expect(try reply.json["type"] == "urn:chimed:problem:conflicting-event")
    }
  }

  @Test func `H12: an event beyond the recipient's limit is answered 429`() async throws {
    let service = try FakeService()
    service.set { $0.overfull = ["u1"] }
    try await TestServer.serving(service) { server in
      let reply = try await server.post(Fixtures.event("e1"))
      #expect(reply.status == 429)
      #expect(try reply.json["detail"] == "subject has too many open entities")
      #expect(try reply.json["type"] == "urn:chimed:problem:too-much-waiting")
      let refused = try await server.post("[\(Fixtures.event("e2"))]")
      #expect(refused.status == 207)
      let batch = try refused.json
      #expect(batch["refused"] == 1)
      #expect(batch["items"]?.arrayValue?.first?["problem"]?["status"] == 429)
    }
  }

  @Test(arguments: ["application/json", "Application/JSON; charset=UTF-8", "application/json;"])
  func `variants of the JSON content type are accepted`(type: String) async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.post(Fixtures.event("e1"), as: type)
      #expect(reply.status == 202)
    }
  }

  @Test func `E4: a batch with a refused event is answered with 207, item by item`() async throws {
    let service = try FakeService()
    service.set { $0.conflicts = ["e5"] }
    try await TestServer.serving(service) { server in
      let items = [
        Fixtures.event("e1"), Fixtures.event("e2", type: "checkin.complete"), "7",
        Fixtures.event("e1"), Fixtures.event("e5"),
      ]
      let reply = try await server.post("[\(items.joined(separator: ","))]")
      #expect(reply.status == 207)
      let answer = try reply.json
      #expect(answer["accepted"] == 1 && answer["duplicate"] == 1 && answer["refused"] == 3)
      let answers = answer["items"]?.arrayValue ?? []
      #expect(answers.map { $0["index"] } == [0, 1, 2, 3, 4])
      #expect(answers.map { $0["id"] } == ["e1", "e2", nil, "e1", "e5"])
      #expect(
        answers.map { $0["status"] } == ["accepted", "refused", "refused", "duplicate", "refused"])
      #expect(answers.map { $0["problem"]?["status"] } == [nil, 422, 400, nil, 409])
    }
    #expect(service.groups == [["e1", "e1", "e5"]])
  }

  @Test func `E4: a batch of only accepted or only repeated events is answered 200`() async throws {
    try await TestServer.serving(FakeService()) { server in
      for duplicateCount in [0, 2] {
        let reply = try await server.post("[\(Fixtures.event("e1")),\(Fixtures.event("e2"))]")
        #expect(reply.status == 200)
        #expect(try reply.json["duplicate"] == .integer(Int64(duplicateCount)))
      }
    }
  }

  @Test func `an empty batch is accepted`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      let reply = try await server.post("[]", as: "application/cloudevents-batch+json")
      #expect(reply.status == 200)
      #expect(reply.text == #"{"items":[],"accepted":0,"duplicate":0,"refused":0}"#)
    }
    #expect(service.groups == [])
  }

  @Test func `a batch that is not JSON changes nothing`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      let reply = try await server.post("[\(Fixtures.event("e1")),\n{\"a\":}]")
      #expect(reply.status == 400)
      #expect(
        try reply.json["detail"] == "line 2, column 6: expected a value; nothing was changed")
    }
    #expect(service.groups == [])
  }
}

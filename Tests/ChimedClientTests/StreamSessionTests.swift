import Foundation
import Testing

@testable import ChimedClient

/// The decisions of a stream (rule H23), tested without a connection.
@Suite struct StreamSessionTests {
  private static let waits = ChimedWaits(first: .seconds(1), longest: .seconds(8))
  private static let opening = "retry: 0\nid: k-0-all\n\n"

  private static func notification(_ number: Int) -> String {
    """
    id: k-\(number)-push
    event: notification
    data: {"id":"k-\(number)","recipient":"u1","reminder":"r","category":"C","channel":"push",\
    "title":"T\(number)","body":"B","planned":"2026-03-02T21:00:00.000Z",\
    "at":"2026-03-02T21:00:01.500Z","details":{"deepLink":"app://1"}}


    """
  }

  private func session(after position: String? = nil) -> StreamSession {
    var session = StreamSession(after: position, waits: Self.waits)
    session.connect()
    return session
  }

  @Test func `H23: a stream reports its connection, then its notifications`() throws {
    var session = session()
    let events = try session.receive((Self.opening + Self.notification(1)).utf8)
    #expect(events.map(\.position) == ["k-0-all", "k-1-push"])
    #expect(events.first?.content == .connected)
    guard case .notification(let delivery) = events.last?.content else {
      Issue.record("\(events)")
      return
    }
    #expect(delivery.id == "k-1" && delivery.title == "T1")
    #expect(delivery.at == Date(timeIntervalSince1970: 1_772_485_201.5))
    #expect(delivery.details?.value(at: "deepLink") == .string("app://1"))
  }

  @Test func `D18: a withdrawal names the notification, and moves no position`() throws {
    var session = session()
    let withdrawal = """
      event: notification.withdrawn
      data: {"id":"k-1","recipient":"u1","reminder":"r","category":"C","channel":"push",\
      "at":"2026-03-02T21:00:01.500Z"}


      """
    let events = try session.receive((Self.opening + Self.notification(1) + withdrawal).utf8)
    #expect(events.map(\.position) == ["k-0-all", "k-1-push", "k-1-push"])
    guard case .withdrawn(let withdrawn) = events.last?.content else {
      Issue.record("\(events)")
      return
    }
    #expect(withdrawn.id == "k-1" && withdrawn.channel == "push")
    #expect(withdrawn.at == Date(timeIntervalSince1970: 1_772_485_201.5))
    #expect(session.position == "k-1-push")
  }

  @Test func `H23: the bytes of an event may arrive in pieces of any size`() throws {
    var session = session()
    var events: [ChimedStreamEvent] = []
    for byte in (Self.opening + ":\n\n" + Self.notification(1)).utf8 {
      events += try session.receive([byte])
    }
    #expect(events.map(\.position) == ["k-0-all", "k-1-push"])
  }

  @Test func `H23: a stream continues after its last whole event`() throws {
    var session = session()
    let cut = Self.notification(2).dropLast(20)
    _ = try session.receive((Self.opening + Self.notification(1) + cut).utf8)
    _ = try session.disconnect(.unreachable(reason: "reset"), spread: 0)
    session.connect()
    #expect(session.position == "k-1-push")
    let events = try session.receive(("id: k-1-push\n\n" + Self.notification(2)).utf8)
    #expect(events.map(\.position) == ["k-1-push", "k-2-push"])
  }

  @Test func `H23: waits grow until something is received again`() throws {
    var session = session(after: "k-1-push")
    for seconds in [1, 2, 4, 8, 8] {
      let step = try session.disconnect(.late(.seconds(60)), spread: 0).step
      #expect(step == .connect(after: .seconds(seconds)))
      session.connect()
    }
    _ = try session.receive(":\n\n".utf8)
    #expect(try session.disconnect(nil, spread: 0).step == .connect(after: .seconds(1)))
  }

  @Test func `H23: a wait is at least as long as the service requires`() throws {
    var session = session()
    _ = try session.receive("retry: 5000\nid: k-0-all\n\n".utf8)
    #expect(try session.disconnect(nil, spread: 0).step == .connect(after: .seconds(5)))
    let full = ChimedProblem(status: 429, detail: "full", retryAfter: .seconds(30))
    #expect(
      try session.disconnect(.refused(full), spread: 0).step == .connect(after: .seconds(30)))
  }

  @Test func `H23: a lost position is reported, and the stream continues from now`() throws {
    var session = session(after: "k-1-push")
    let lost = ChimedError.refused(ChimedProblem(status: 410, detail: "lost"))
    let (events, step) = try session.disconnect(lost, spread: 0)
    #expect(events == [ChimedStreamEvent(.missed, position: nil)])
    #expect(step == .connect(after: .zero))
    #expect(session.position == nil)
    #expect(throws: lost) { try session.disconnect(lost, spread: 0) }
  }

  @Test(arguments: [400, 401, 403, 404])
  func `H23: a refusal ends the stream`(status: Int) {
    var session = session()
    let refusal = ChimedError.refused(ChimedProblem(status: status, detail: "no"))
    #expect(throws: refusal) { try session.disconnect(refusal, spread: 0) }
  }

  @Test func `H23: the stream of an erased recipient ends`() throws {
    var session = session()
    let events = try session.receive("event: end\ndata: {\"reason\":\"erased\"}\n\n".utf8)
    #expect(events.map(\.content) == [.connected])
    #expect(try session.disconnect(nil, spread: 0).step == .finish)
  }

  @Test func `H23: a stream whose token has ended fails`() throws {
    var session = session()
    _ = try session.receive("event: end\ndata: {\"reason\":\"unauthorized\"}\n\n".utf8)
    #expect(throws: ChimedError.self) { try session.disconnect(nil, spread: 0) }
  }

  @Test(arguments: ["stopping", "behind"])
  func `H23: a stream that the service ends for a while connects again`(reason: String) throws {
    var session = session()
    _ = try session.receive("event: end\ndata: {\"reason\":\"\(reason)\"}\n\n".utf8)
    #expect(try session.disconnect(nil, spread: 0).step == .connect(after: .seconds(1)))
  }

  @Test func `H23: the state is reported with the last position`() throws {
    var session = session()
    let state = """
      event: state
      data: {"badge":null,"unread":1,"recent":2,"pending":7,"due":null,"preferences":17}


      """
    let events = try session.receive((Self.opening + state).utf8)
    let expected = ChimedState(
      badge: nil, unread: 1, recent: 2, pending: 7, due: nil, preferences: 17)
    #expect(events.last == ChimedStreamEvent(.state(expected), position: "k-0-all"))
  }

  @Test func `H23: a malformed notification is an error`() {
    var session = session()
    #expect(throws: ChimedError.unreadable("id is missing")) {
      try session.receive("event: notification\ndata: {}\n\n".utf8)
    }
  }
}

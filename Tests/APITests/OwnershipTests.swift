import Access
import CivilTime
import HTTPTypes
import JSON
import Reminders
import TestSupport
import Testing

@testable import API
@testable import Engine

/// No route, current or future, gives access to another recipient's resources (rule H1).
@Suite struct OwnershipTests {
  /// The ids of other recipients, known and unknown; some are similar to the caller's id.
  private static let others = [
    "badr", "nobody", "amina2", "AMINA", "amin", "amina ", "re\u{301}ne", "r\u{e9}ne", "a/b", "%",
  ]

  private func service() throws -> FakeService {
    let service = try FakeService()
    service.set { state in
      for name in ["amina", "badr", "r\u{e9}ne"] {
        state.recipients[name] = Recipient(name: name, now: Fixtures.now)
        state.agendas[name] = Agenda(
          recipient: name, zone: service.planner.defaultZone, isDefaultZone: true,
          now: Fixtures.now, entries: [])
      }
    }
    return service
  }

  private func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let digits = String(byte, radix: 16)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
  }

  /// Returns a path of the route for the given recipient, with random parameters.
  private func target(
    _ route: Route, about name: String, using generator: inout some RandomNumberGenerator
  ) -> String {
    let path = route.template.replacing(/{(recipient|customer)}/, with: encoded(name))
      .replacing(/{[a-z]+}/, with: "x")
    var query = route.operation.query.filter { _ in Bool.random(using: &generator) }.map {
      "\($0.name)=\(["1", "true", "own", "CHECKIN", ""].randomElement(using: &generator) ?? "")"
    }
    if route.hasRecipientParameter || route.template == CalendarImportRoute.path {
      query.append("recipient=" + encoded(name))
    }
    return query.isEmpty ? path : path + "?" + query.joined(separator: "&")
  }

  private func body(using generator: inout some RandomNumberGenerator) -> String? {
    let foreign = Fixtures.event("e").replacing("\"u1\"", with: "\"badr\"")
    return [nil, "{}", foreign, #"{"master":false}"#, "[", ""].randomElement(using: &generator)
      ?? nil
  }

  @Test func `another recipient's resource is refused alike whether or not it exists`() async throws
  {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SplitMix64(seed: seed)
    let service = try service()
    let tokens = FakeTokens()
    let token = tokens.make(.recipient("amina"))
    let access = APIAccess(tokens: tokens)
    var limits = APILimits()
    // The test's requests are more than the burst that one token may send.
    limits.burst = 1_000
    try await TestServer.serving(service, access: access, limits: limits) { server in
      func send(
        _ route: Route, about name: String, using generator: inout SplitMix64
      ) async throws -> Reply {
        try await server.call(
          route.method.rawValue, target(route, about: name, using: &generator),
          headers: ["authorization": "Bearer \(token)", "content-type": "application/json"],
          body: route.method == .get ? nil : body(using: &generator))
      }
      for _ in 0..<400 {
        // Two routes name no recipient: a session belongs to its caller, who may end it, and all
        // callers get the same push key.
        let routes = server.routes.filter {
          !["/v1/console/session", PushKeyRoute.path].contains($0.template)
        }
        let route = try #require(routes.randomElement(using: &generator))
        let other = try #require(Self.others.randomElement(using: &generator))
        var generatorCopy = generator
        let reply = try await send(route, about: other, using: &generator)
        guard case .everyone = route.answer else {
          check(reply, of: route, about: other, seed: seed)
          continue
        }
        let ownReply = try await send(route, about: "amina", using: &generatorCopy)
        #expect(reply.text == ownReply.text, "\(route.template) about \(other), seed \(seed)")
      }
    }
    #expect(service.groups.isEmpty, "seed \(seed)")
  }

  private func check(_ reply: Reply, of route: Route, about other: String, seed: UInt64) {
    let request: Comment = "\(route.method) \(route.template) about \(other), seed \(seed)"
    switch route.answer {
    case .recipient: #expect(reply.text == refusal(Problem.foreignRecipient), request)
    case .service(let right, _), .person(let right, _):
      #expect(reply.text == refusal(Problem(.recipient("amina"), lacks: right)), request)
    case .caller: #expect([400, 403, 422].contains(reply.status), request)
    case .everyone: break
    }
  }

  private func refusal(_ problem: Problem) -> String {
    var writer = JSONWriter()
    ProblemPayload.write(problem, to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test func `a recipient's token gives access to that recipient's resources`() async throws {
    let tokens = FakeTokens()
    let access = APIAccess(tokens: tokens)
    try await TestServer.serving(service(), access: access) { server in
      for name in ["amina", "badr", "r\u{e9}ne"] {
        let token = tokens.make(.recipient(name))
        let reply = try await server.get(
          "/v1/recipients/\(encoded(name))/pending", bearing: token)
        #expect(reply.status == 200)
        #expect(try reply.json["recipient"] == .string(name))
      }
    }
  }
}

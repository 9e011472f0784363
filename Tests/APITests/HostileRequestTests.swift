import API
import Access
import Glibc
import JSON
import Testing

/// Thousands of hostile requests to a service with data. Each is answered with a reason or ends its
/// connection. Nothing changes, and the service continues.
@Suite(.timeLimit(.minutes(3))) struct HostileRequestTests {
  private static let rounds = 100
  private static let concurrency = 20

  @Test func `hostile requests are refused with a reason and change nothing`() async throws {
    let seed =
      getenv("CHIMED_SEED").flatMap { UInt64(String(cString: $0)) } ?? .random(in: 0...999_999)
    print("hostile requests; to repeat them: CHIMED_SEED=\(seed)")
    let service = try LiveService("imanpath", at: "2026-03-02T09:00:00.000Z")
    try await service.ingest("lesson.completed", ["day": 1], of: "amina")
    let tokens = FakeTokens()
    var hostility = Hostility(seed: seed, bearing: tokens.make(.administrator))
    try await TestServer.serving(
      service, listen: TCPAddress("127.0.0.1:0"), access: APIAccess(tokens: tokens),
      limits: Self.limits
    ) { server in
      let stateBefore = try await Self.state(server)
      for _ in 0..<Self.rounds {
        let requests = (0..<Self.concurrency).map { _ in hostility.request() }
        try await withThrowingDiscardingTaskGroup { group in
          for request in requests {
            group.addTask { try await Self.send(request, to: server, seed) }
          }
        }
      }
      #expect(try await Self.state(server) == stateBefore, "seed \(seed)")
    }
  }

  private static var limits: APILimits {
    var limits = APILimits()
    limits.linger = .milliseconds(10)
    limits.bodyDeadline = .milliseconds(200)
    limits.headDeadline = .milliseconds(200)
    limits.failureBurst = 50
    return limits
  }

  /// Everything that a request might have changed.
  private static func state(_ server: TestServer) async throws -> [String] {
    let export = try await server.perform("GET", "/v1/recipients/amina/export").text
    // Other programs write to the disk too.
    let status = try await server.perform("GET", "/v1/status").text
      .replacing(/"diskUse":[0-9.]+/, with: "")
    let metrics = try await server.perform("GET", "/metrics").text.split(separator: "\n")
    let accepted = metrics.filter {
      $0.hasPrefix("chimed_events_total{outcome=\"accepted\"") || $0.hasPrefix("chimed_recipients")
    }
    return [export, status, accepted.joined(separator: "\n")]
  }

  private static func send(_ bytes: [UInt8], to server: TestServer, _ seed: UInt64) async throws {
    try await RawConnection.opened(to: server, isOverTCP: true) { connection in
      try await connection.send(bytes)
      connection.finish()
      let answers = try await connection.receiveAll()
        .replacing("HTTP/1.1 100 Continue\r\n\r\n", with: "")
      let request = String(decoding: bytes.prefix(2_000), as: UTF8.self).debugDescription
      #expect(mistake(in: answers) == nil, "\(request) got \(answers), seed \(seed)")
    }
  }

  /// Returns what is wrong with the answers on one connection. Returns nil if the connection was
  /// closed without an answer, and for refusals with a reason. Also returns nil for answers to
  /// requests that are valid after all.
  private static func mistake(in answers: String) -> String? {
    guard !answers.isEmpty else { return nil }
    guard answers.hasPrefix("HTTP/1.1 ") else { return "not HTTP" }
    let heads = answers.split(separator: "HTTP/1.1 ")
    for answer in heads {
      guard let status = Int(answer.prefix(3)) else { return "no status" }
      switch status {
      case 200, 202, 204, 207: continue
      case 400..<500:
        let hasReason = answer.contains("\"detail\":\"") || answer.contains("\"message\":\"")
        let isAnswerToHEAD = answer.contains("Content-Length: ") && !answer.contains("\r\n\r\n{")
        // A response to HEAD has the length of a reason, but no body.
        guard hasReason || (isAnswerToHEAD && !answer.contains("Content-Length: 0\r\n")) else {
          return "no reason: \(answer)"
        }
      default: return "\(status)"
      }
    }
    return nil
  }
}

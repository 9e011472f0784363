import CivilTime
import Outbox
import Sinks
import Systemd
import Testing

/// Rule D3: recipients choose hosts, but names that never resolve do not delay other names.
@Suite(.timeLimit(.minutes(1))) struct SlowNameTests {
  private let names = HeldNames()

  private func client(deadline: TimeSpan) throws -> SafeHTTPClient {
    try SafeHTTPClient(
      HTTPSettings(), deadline: deadline, concurrency: 4, resolver: names.resolver,
      freshness: .zero)
  }

  private func reason(_ host: String, _ client: SafeHTTPClient) async throws -> String? {
    let url = try HTTPURL("http://\(host).invalid/")
    do throws(HTTPTransferError) {
      _ = try await client.send(HTTPRequest(body: []), to: url)
      return nil
    } catch {
      return error.reason
    }
  }

  /// Sends concurrent requests to hosts whose names are not resolved, and returns the reasons of
  /// the failures.
  private func reasons(_ count: Int, _ client: SafeHTTPClient) async throws -> [String] {
    try await withThrowingTaskGroup(of: String?.self) { group in
      for number in 0..<count {
        group.addTask { try await reason("slow-\(number)", client) }
      }
      return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
    }
  }

  private let noAddress = "its name has no address"

  @Test func `a name that resolves does not wait for names that do not`() async throws {
    let client = try client(deadline: .hours(1))
    #expect(try await reason("good", client) == noAddress)
    async let slow = reasons(20, client)
    await names.waitUntilRequested(times: 7)
    for _ in 0..<3 { #expect(try await reason("good", client) == noAddress) }
    #expect(names.hosts.count == 10)
    names.release()
    #expect(try await slow == Array(repeating: noAddress, count: 20))
    #expect(Set(names.hosts).count == 21)
  }

  @Test func `a name that no request waits for any longer is not looked up`() async throws {
    let client = try client(deadline: .seconds(1))
    let reasons = try await reasons(20, client)
    #expect(reasons.count { $0 == "resolving its name took too long" } == 6)
    #expect(reasons.count { $0 == "too many other names were being resolved" } == 14)
    names.release()
    #expect(try await reason("good", client) == noAddress)
    #expect(names.hosts.count == 7)
  }
}

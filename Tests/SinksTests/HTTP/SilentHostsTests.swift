import Sinks
import Testing

/// D3: a host that does not answer does not take the room of the others.
@Suite struct SilentHostsTests {
  private let hosts = SilentHosts()

  private func fail(_ host: String, times: Int) throws {
    let attempts = try (0..<times).map { _ in try #require(hosts.begin(host)) }
    for attempt in attempts { hosts.end(attempt, isAnswered: false) }
  }

  @Test func oneAtATimeTriesAHostThatIsSilent() throws {
    try fail("a", times: SilentHosts.failuresMax)
    let trial = try #require(hosts.begin("a"))
    #expect(hosts.begin("a") == nil)
    #expect(hosts.begin("b") != nil)
    hosts.end(trial, isAnswered: false)
    let next = try #require(hosts.begin("a"))
    #expect(hosts.begin("a") == nil)
    hosts.end(next, isAnswered: true)
    for _ in 0..<100 { #expect(hosts.begin("a") != nil) }
  }

  @Test func failuresInARowCount() throws {
    for _ in 0..<3 {
      try fail("a", times: SilentHosts.failuresMax - 1)
      hosts.end(try #require(hosts.begin("a")), isAnswered: true)
    }
    #expect(hosts.begin("a") != nil && hosts.begin("a") != nil)
  }

  /// What was begun before it was known to be silent does not let another trial in.
  @Test func whatWasUnderWayIsNoTrial() throws {
    let early = try (0..<20).map { _ in try #require(hosts.begin("a")) }
    for attempt in early.prefix(SilentHosts.failuresMax) { hosts.end(attempt, isAnswered: false) }
    let trial = try #require(hosts.begin("a"))
    for attempt in early.dropFirst(SilentHosts.failuresMax) {
      hosts.end(attempt, isAnswered: false)
      #expect(hosts.begin("a") == nil)
    }
    hosts.end(trial, isAnswered: false)
    #expect(hosts.begin("a") != nil)
  }

  /// Whoever registers any number of hosts takes no more memory than that.
  @Test func thereMayBeAnyNumberOfHosts() throws {
    for number in 0..<5_000 { try fail("host-\(number)", times: 1) }
    try fail("a", times: SilentHosts.failuresMax)
    #expect(hosts.begin("a") != nil && hosts.begin("a") == nil)
  }
}

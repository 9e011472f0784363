import Sinks
import Testing

/// Rule D3: a host that does not answer does not take the connections of others.
@Suite struct SilentHostsTests {
  private let hosts = SilentHosts()

  private func fail(_ host: String, times: Int) throws {
    let attempts = try (0..<times).map { _ in try #require(hosts.begin(host)) }
    for attempt in attempts { hosts.end(attempt, .unanswered) }
  }

  @Test func `a silent host is tried by one attempt at a time`() throws {
    try fail("a", times: SilentHosts.failuresMax)
    let trial = try #require(hosts.begin("a"))
    #expect(hosts.begin("a") == nil)
    #expect(hosts.begin("b") != nil)
    hosts.end(trial, .unanswered)
    let next = try #require(hosts.begin("a"))
    #expect(hosts.begin("a") == nil)
    hosts.end(next, .answered)
    for _ in 0..<100 { #expect(hosts.begin("a") != nil) }
  }

  @Test func `only consecutive failures count`() throws {
    for _ in 0..<3 {
      try fail("a", times: SilentHosts.failuresMax - 1)
      hosts.end(try #require(hosts.begin("a")), .answered)
    }
    #expect(hosts.begin("a") != nil && hosts.begin("a") != nil)
  }

  /// Attempts that began before the host counted as silent do not allow another trial.
  @Test func `attempts already running are not trials`() throws {
    let earlyAttempts = try (0..<20).map { _ in try #require(hosts.begin("a")) }
    for attempt in earlyAttempts.prefix(SilentHosts.failuresMax) { hosts.end(attempt, .unanswered) }
    let trial = try #require(hosts.begin("a"))
    for attempt in earlyAttempts.dropFirst(SilentHosts.failuresMax) {
      hosts.end(attempt, .unanswered)
      #expect(hosts.begin("a") == nil)
    }
    hosts.end(trial, .unanswered)
    #expect(hosts.begin("a") != nil)
  }

  /// A cancelled batch gives no result for the host, but ends the host's trial.
  @Test func `an attempt without a result only ends the trial`() throws {
    for _ in 0..<100 { hosts.end(try #require(hosts.begin("a")), .unknown) }
    try fail("a", times: SilentHosts.failuresMax - 1)
    hosts.end(try #require(hosts.begin("a")), .unknown)
    #expect(hosts.begin("a") != nil && hosts.begin("a") != nil)
    try fail("a", times: 1)
    let trial = try #require(hosts.begin("a"))
    #expect(hosts.begin("a") == nil)
    hosts.end(trial, .unknown)
    #expect(hosts.begin("a") != nil && hosts.begin("a") == nil, "the host still counts as silent")
  }

  @Test func `failures of attempts begun before an answer do not count`() throws {
    let earlyAttempts = try (0..<20).map { _ in try #require(hosts.begin("a")) }
    hosts.end(try #require(hosts.begin("a")), .answered)
    for attempt in earlyAttempts { hosts.end(attempt, .unanswered) }
    #expect(hosts.begin("a") != nil && hosts.begin("a") != nil)
    try fail("a", times: SilentHosts.failuresMax)
    #expect(hosts.begin("a") != nil && hosts.begin("a") == nil, "later attempts count")
  }

  /// An answer to another attempt ends the host's silence, so the trial's failure does not count.
  @Test func `a trial overtaken by an answer changes nothing`() throws {
    let earlyAttempt = try #require(hosts.begin("a"))
    try fail("a", times: SilentHosts.failuresMax)
    let overtakenTrial = try #require(hosts.begin("a"))
    hosts.end(earlyAttempt, .answered)
    try fail("a", times: SilentHosts.failuresMax)
    let trial = try #require(hosts.begin("a"))
    hosts.end(overtakenTrial, .unanswered)
    #expect(hosts.begin("a") == nil, "the later trial is running")
    hosts.end(trial, .answered)
    try fail("a", times: SilentHosts.failuresMax - 1)
    #expect(hosts.begin("a") != nil && hosts.begin("a") != nil)
  }

  /// Clients may register any number of hosts, so the table of hosts has a limit.
  @Test func `a host is found to be silent even after many other hosts have failed`() throws {
    for number in 0..<5_000 { try fail("host-\(number)", times: 1) }
    try fail("a", times: SilentHosts.failuresMax)
    #expect(hosts.begin("a") != nil && hosts.begin("a") == nil)
  }

  @Test func `failures begun before the table was cleared do not count`() throws {
    let earlyAttempts = try (0..<20).map { _ in try #require(hosts.begin("a")) }
    for number in 0..<5_000 { try fail("host-\(number)", times: 1) }
    for attempt in earlyAttempts { hosts.end(attempt, .unanswered) }
    #expect(hosts.begin("a") != nil && hosts.begin("a") != nil)
  }
}

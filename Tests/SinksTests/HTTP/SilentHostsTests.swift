import Sinks
import Testing

/// D3: a host that does not answer does not take the room of the others.
@Suite struct SilentHostsTests {
  private let hosts = SilentHosts()

  private func fail(_ host: String, times: Int) throws {
    let attempts = try (0..<times).map { _ in try #require(hosts.begin(host)) }
    for attempt in attempts { hosts.end(attempt, .unanswered) }
  }

  @Test func oneAtATimeTriesAHostThatIsSilent() throws {
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

  @Test func failuresInARowCount() throws {
    for _ in 0..<3 {
      try fail("a", times: SilentHosts.failuresMax - 1)
      hosts.end(try #require(hosts.begin("a")), .answered)
    }
    #expect(hosts.begin("a") != nil && hosts.begin("a") != nil)
  }

  /// What was begun before it was known to be silent does not let another trial in.
  @Test func whatWasUnderWayIsNoTrial() throws {
    let early = try (0..<20).map { _ in try #require(hosts.begin("a")) }
    for attempt in early.prefix(SilentHosts.failuresMax) { hosts.end(attempt, .unanswered) }
    let trial = try #require(hosts.begin("a"))
    for attempt in early.dropFirst(SilentHosts.failuresMax) {
      hosts.end(attempt, .unanswered)
      #expect(hosts.begin("a") == nil)
    }
    hosts.end(trial, .unanswered)
    #expect(hosts.begin("a") != nil)
  }

  /// A batch that is cancelled says nothing of the host, but others may try it then.
  @Test func whatShowsNothingOnlyEndsTheTrial() throws {
    for _ in 0..<100 { hosts.end(try #require(hosts.begin("a")), .unknown) }
    try fail("a", times: SilentHosts.failuresMax - 1)
    hosts.end(try #require(hosts.begin("a")), .unknown)
    #expect(hosts.begin("a") != nil && hosts.begin("a") != nil)
    try fail("a", times: 1)
    let trial = try #require(hosts.begin("a"))
    #expect(hosts.begin("a") == nil)
    hosts.end(trial, .unknown)
    #expect(hosts.begin("a") != nil && hosts.begin("a") == nil, "it is as silent as before")
  }

  @Test func whatBeganBeforeAnAnswerIsNoFailureAfterIt() throws {
    let early = try (0..<20).map { _ in try #require(hosts.begin("a")) }
    hosts.end(try #require(hosts.begin("a")), .answered)
    for attempt in early { hosts.end(attempt, .unanswered) }
    #expect(hosts.begin("a") != nil && hosts.begin("a") != nil)
    try fail("a", times: SilentHosts.failuresMax)
    #expect(hosts.begin("a") != nil && hosts.begin("a") == nil, "what begins later counts")
  }

  /// The answer of an attempt that is no trial ends the silence, and the trial's failure is old.
  @Test func aTrialThatIsOvertakenByAnAnswerChangesNothing() throws {
    let early = try #require(hosts.begin("a"))
    try fail("a", times: SilentHosts.failuresMax)
    let overtaken = try #require(hosts.begin("a"))
    hosts.end(early, .answered)
    try fail("a", times: SilentHosts.failuresMax)
    let trial = try #require(hosts.begin("a"))
    hosts.end(overtaken, .unanswered)
    #expect(hosts.begin("a") == nil, "the later trial goes on")
    hosts.end(trial, .answered)
    try fail("a", times: SilentHosts.failuresMax - 1)
    #expect(hosts.begin("a") != nil && hosts.begin("a") != nil)
  }

  /// Whoever registers any number of hosts takes no more memory than that.
  @Test func thereMayBeAnyNumberOfHosts() throws {
    for number in 0..<5_000 { try fail("host-\(number)", times: 1) }
    try fail("a", times: SilentHosts.failuresMax)
    #expect(hosts.begin("a") != nil && hosts.begin("a") == nil)
  }

  @Test func whatBeganBeforeAllWasForgottenIsNoFailureAfterIt() throws {
    let early = try (0..<20).map { _ in try #require(hosts.begin("a")) }
    for number in 0..<5_000 { try fail("host-\(number)", times: 1) }
    for attempt in early { hosts.end(attempt, .unanswered) }
    #expect(hosts.begin("a") != nil && hosts.begin("a") != nil)
  }
}

import Sinks
import Testing

/// Rule D3: the order of lookups beyond the limit.
@Suite struct LookupQueueTests {
  private static let start = ContinuousClock.now
  private static let address = Finding.success(["192.0.2.1"].compactMap(NetworkAddress.init))
  private static let failure = Finding.failure(.unreachable("no such host"))

  /// Lookups with named waiters, and a clock in seconds.
  private struct Stage {
    var queue = LookupQueue<String>(freshness: .seconds(1))
    var now = LookupQueueTests.start

    /// The result for a waiter: "known", "begin" or "wait".
    mutating func ask(_ host: String, _ waiter: String = "") -> String {
      switch queue.enqueue(host, waiter, now: now) {
      case .known: "known"
      case .begin: "begin"
      case .wait: "wait"
      }
    }

    mutating func ticket(_ host: String) throws -> LookupQueue<String>.Ticket {
      switch queue.enqueue(host, "", now: now) {
      case .begin(let ticket), .wait(let ticket): return ticket
      case .known: throw Known()
      }
    }

    /// Ends a lookup, and returns the host of the lookup that begins in its place.
    mutating func finish(_ host: String, _ finding: Finding = LookupQueueTests.address) -> String? {
      queue.finish(host, finding, now: now).next
    }

    /// Looks up hosts one after another, each in the given number of seconds, and lets the results
    /// become stale.
    mutating func learn(_ hosts: [String], seconds: Int) {
      for host in hosts {
        _ = ask(host)
        now += .seconds(seconds)
        _ = finish(host)
      }
      now += .seconds(2)
    }
  }

  private struct Known: Error {}

  private func names(_ kind: String, _ count: Int) -> [String] {
    (0..<count).map { "\(kind)-\($0)" }
  }

  @Test func `waiters for the same host share its lookup`() {
    var stage = Stage()
    #expect(stage.ask("a", "1") == "begin")
    #expect(stage.ask("a", "2") == "wait")
    #expect(stage.ask("b", "3") == "begin")
    let (waiters, next) = stage.queue.finish("a", Self.address, now: stage.now)
    #expect(waiters.sorted() == ["1", "2"] && next == nil)
    #expect(stage.ask("a") == "known")
    stage.now += .seconds(1)
    #expect(stage.ask("a") == "begin")
  }

  @Test func `a failure is remembered as long as an address`() {
    var stage = Stage()
    _ = stage.ask("a")
    _ = stage.finish("a", Self.failure)
    #expect(stage.ask("a") == "known")
    stage.now += .seconds(1)
    #expect(stage.ask("a") == "begin")
  }

  @Test func `slow names may use fewer lookups than new or quick ones`() {
    var stage = Stage()
    stage.learn(names("slow", 10), seconds: 10)
    stage.learn(names("quick", 10), seconds: 0)
    stage.now += .seconds(600)
    let slow = names("slow", 10).map { stage.ask($0) }
    #expect(slow.count { $0 == "begin" } == 4)
    let new = names("new", 10).map { stage.ask($0) }
    #expect(new.count { $0 == "begin" } == 2)
    let quick = names("quick", 10).map { stage.ask($0) }
    #expect(quick.count { $0 == "begin" } == 2)
  }

  @Test func `quick names go first, then new ones in order, then slow ones`() {
    var stage = Stage()
    stage.learn(names("slow", 1), seconds: 10)
    stage.learn(names("quick", 1), seconds: 0)
    stage.now += .seconds(600)
    for host in names("busy", 6) { #expect(stage.ask(host) == "begin") }
    for host in ["slow-0"] + names("new", 2) { #expect(stage.ask(host) == "wait") }
    #expect(stage.finish("busy-0") == "new-0")
    #expect(stage.ask("quick-0") == "begin")
    #expect(stage.finish("busy-1") == nil, "new names leave lookups free")
    #expect(stage.finish("busy-2") == "new-1")
    for host in ["busy-3", "busy-4"] { #expect(stage.finish(host) == nil, "slow names do too") }
    #expect(stage.finish("busy-5") == "slow-0")
  }

  /// However many names never answer, a name that answers is looked up at once.
  @Test func `slow names do not delay one that answers`() {
    var stage = Stage()
    stage.learn(["good"], seconds: 0)
    for _ in 0..<5 {
      var inProgress = names("slow", 100).filter { stage.ask($0) == "begin" }
      stage.now += .seconds(600)
      #expect(stage.ask("good") == "begin")
      #expect(stage.finish("good") == nil)
      while let host = inProgress.popLast() {
        stage.now += .seconds(10)
        if let next = stage.finish(host) { inProgress.insert(next, at: 0) }
      }
    }
  }

  @Test func `a new name is looked up before slow ones`() {
    var stage = Stage()
    stage.learn(names("slow", 20), seconds: 10)
    let inProgress = names("slow", 20).filter { stage.ask($0) == "begin" }
    #expect(stage.ask("new") == "begin")
    #expect(stage.ask("newer") == "begin" && stage.ask("newest") == "wait")
    #expect(inProgress.first.flatMap { stage.finish($0) } == "newest")
  }

  @Test func `at the limit, a slightly stale address is used`() {
    var stage = Stage()
    stage.learn(names("quick", 8) + ["good"], seconds: 0)
    for host in names("quick", 8) { #expect(stage.ask(host) == "begin") }
    #expect(stage.ask("good") == "known")
    stage.now += .seconds(600)
    #expect(stage.ask("good") == "wait", "the address is too old")
    #expect(stage.finish("quick-0") == "good")
  }

  @Test func `at the limit, a stale failure is not used`() {
    var stage = Stage()
    stage.learn(names("quick", 8), seconds: 0)
    _ = stage.ask("bad")
    _ = stage.finish("bad", Self.failure)
    stage.now += .seconds(2)
    for host in names("quick", 8) { #expect(stage.ask(host) == "begin") }
    #expect(stage.ask("bad") == "wait")
  }

  @Test func `a lookup without waiters is not begun`() throws {
    var stage = Stage()
    for host in names("busy", 6) { #expect(stage.ask(host) == "begin") }
    let left = try [stage.ticket("left"), stage.ticket("left")]
    let stays = try [stage.ticket("stays"), stage.ticket("stays")]
    for ticket in left + stays.prefix(1) { #expect(stage.queue.remove(ticket) != nil) }
    #expect(stage.finish("busy-0") == "stays")
    #expect(stage.finish("busy-1") == nil)
    #expect(stage.queue.remove(stays[0]) == nil, "the waiter has left already")
    #expect(stage.queue.finish("stays", Self.address, now: stage.now).waiters.count == 1)
    #expect(stage.queue.remove(stays[1]) == nil, "the waiter has been answered")
  }

  @Test func `a ticket shows whether its lookup has begun`() throws {
    var stage = Stage()
    for host in names("busy", 6) { #expect(try stage.ticket(host).hasBegun) }
    #expect(try stage.ticket("busy-0").hasBegun)
    #expect(try !stage.ticket("late").hasBegun)
    #expect(stage.finish("busy-0") == "late")
    #expect(try stage.ticket("late").hasBegun)
  }

  /// A client that registers any number of hosts uses bounded memory, and hosts in use stay known.
  @Test func `the hosts least recently looked up are forgotten`() {
    var stage = Stage()
    stage.queue = LookupQueue(freshness: .seconds(1_000_000))
    for host in ["old", "good"] { stage.learn([host], seconds: 0) }
    for number in 0..<1_022 { stage.learn(["host-\(number)"], seconds: 0) }
    #expect(stage.ask("old") == "known")
    stage.learn(["another"], seconds: 0)
    #expect(stage.ask("old") == "begin")
    #expect(stage.ask("good") == "known")
  }
}

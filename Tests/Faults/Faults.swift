import ArgumentParser
import Foundation
import Reminders
import Synchronization

/// Simulates random weeks on a failing disk, clock and network, and fleets whose nodes and server
/// fail. Reports every violated expectation.
@main
struct Faults: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chimed-faults",
    abstract: "Run the service's store and loop on a disk, a clock and a network that fail.",
    discussion: """
      Prints the first seed before anything else. A seed repeats its run exactly: --from SEED \
      --seeds 1. Exits with 1 if anything is wrong.
      """)

  @Option(help: "Number of seeds to simulate.")
  var seeds = 100

  @Option(help: "First seed. Default: a random seed.")
  var from: UInt64?

  @Option(help: "Days in each run.")
  var days = 20

  @Option(help: "Number of runs in parallel.")
  var threads = 2

  @Option(help: "Fail every Nth disk call of some rare operations; 0 for none.")
  var sweep = 0

  @Option(help: "Number of seeds to simulate with hundreds of recipients.")
  var towns = 0

  @Option(help: "Number of seeds to simulate with real HTTP clients and bad servers.")
  var answered = 0

  @Option(help: "Number of fleets to simulate on a model of PostgreSQL.")
  var fleets = 0

  @Flag(help: "Stop at the first seed with a finding.")
  var firstFinding = false

  func run() throws {
    let first = from ?? .random(in: 0..<1 << 48)
    let planner = try FaultCatalog.planner()
    let seedCourse = Course(first: first, count: seeds, stopsAtFinding: firstFinding)
    try simulate(seedCourse, "of \(days) days", planner) { Circumstances(seed: $0) }
    try sweep(seed: first, planner)
    let towns = Course(first: first, count: towns, stopsAtFinding: firstFinding)
    try simulate(towns, "with hundreds of recipients", planner) { Circumstances(townSeed: $0) }
    let answered = Course(first: first, count: answered, stopsAtFinding: firstFinding)
    try simulate(answered, "with generated HTTP answers", planner) {
      Circumstances(answeredSeed: $0)
    }
    try simulateFleets(first)
  }

  private func simulate(
    _ course: Course, _ what: String, _ planner: Planner,
    _ circumstances: @Sendable (UInt64) -> Circumstances
  ) throws {
    guard course.count > 0 else { return }
    say("seed \(course.first), \(course.count) in all, \(what)")
    let start = ContinuousClock.now
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      while let seed = course.next() { simulate(seed, planner, circumstances(seed), course) }
    }
    course.printReport(seconds: (ContinuousClock.now - start) / .seconds(1))
    guard course.findings.isEmpty else { throw ExitCode(1) }
  }

  private func simulateFleets(_ first: UInt64) throws {
    guard fleets > 0 else { return }
    say("seed \(first), \(fleets) fleets in all")
    let course = FleetCourse(first: first, count: fleets, stopsAtFinding: firstFinding)
    course.run(threads: threads, say)
    guard course.findings.isEmpty else { throw ExitCode(1) }
  }

  private func sweep(seed: UInt64, _ planner: Planner) throws {
    guard sweep > 0 else { return }
    let (tally, points, findings) = try Sweep(stride: sweep, seed: seed, planner: planner).run()
    for finding in findings.prefix(3) { say("sweep: \(finding)") }
    let operations = Sweep.Operation.allCases.map { "\($0) \(points[$0, default: 0])" }
    say("sweep: runs for each operation: \(operations.joined(separator: ", "))")
    say("sweep: \(tally.failures) failures of the store")
    guard findings.isEmpty else { throw ExitCode(1) }
  }

  private func simulate(
    _ seed: UInt64, _ planner: Planner, _ circumstances: Circumstances, _ course: Course
  ) {
    do {
      let life = try Life(seed: seed, length: days, planner: planner, circumstances)
      let findings = try life.run()
      course.add(life.tally, findings.map { "seed \(seed): \($0)" })
    } catch {
      course.add(Tally(), ["seed \(seed): the simulation itself failed: \(error)"])
    }
  }
}

/// The seeds of a run, their totals and their findings.
final class Course: Sendable {
  private struct State {
    /// The number of seeds whose simulation has begun.
    var next = 0
    var tally = Tally()
    var findings: [String] = []
  }

  /// The first seed.
  let first: UInt64
  /// The number of seeds.
  let count: Int
  private let state = Mutex(State())

  private let stopsAtFinding: Bool

  /// - Parameter stopsAtFinding: whether a finding ends the run.
  init(first: UInt64, count: Int, stopsAtFinding: Bool) {
    self.first = first
    self.count = count
    self.stopsAtFinding = stopsAtFinding
  }

  var findings: [String] { state.withLock(\.findings) }

  /// Returns the next seed; nil at the end of the run.
  func next() -> UInt64? {
    state.withLock { state in
      guard state.next < count, !stopsAtFinding || state.findings.isEmpty else { return nil }
      state.next += 1
      return first &+ UInt64(state.next - 1)
    }
  }

  func add(_ tally: Tally, _ findings: [String]) {
    state.withLock { state in
      state.tally += tally
      state.findings += findings
    }
    for finding in findings.prefix(3) { say(finding) }
  }

  func printReport(seconds: Double) {
    let tally = state.withLock(\.tally)
    func rate(_ count: Double) -> String { "\(Int(count * 60 / seconds)) a minute" }
    say(
      """
      \(Int(tally.userDays)) user-days, \(rate(tally.userDays))
      \(tally.deaths) deaths of the process, \(rate(Double(tally.deaths)))
      \(tally.failures) failures of the disk, \(tally.diskCalls) calls
      \(tally.events) events, \(tally.deliveries) deliveries, \(tally.answers) generated answers,
      \(tally.parts) answers in part
      \(work(of: tally))
      \(findings.isEmpty ? "no findings" : "\(findings.count) findings")
      """)
  }
}

/// Returns the amount of work of engine cycles, in words. Only debug builds count it.
private func work(of tally: Tally) -> String {
  guard tally.stepsMax > 0 else { return "only debug builds count work" }
  let steps = (tally.stepsMax * 10).rounded() / 10
  return "at most \(steps) steps of work per task and pending occurrence"
}

/// Prints without buffering, also to a pipe.
private func say(_ text: String) {
  FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

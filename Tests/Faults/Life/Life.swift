import CivilTime
import Engine
import FaultyDisk
import Foundation
import Outbox
import Reminders
import Store
import TestSupport

/// One seed: some people's weeks, lived by the real store and the real loop on a disk, a clock and
/// a sink that fail, and all that is wrong with what came of it.
///
/// For one thread. The same seed is the same life, call by call.
final class Life: @unchecked Sendable {
  let seed: UInt64
  let diary: Diary
  let script: Script
  let disk: FaultyDisk
  let directory: Workspace
  var random: SplitMix64
  var clocks: Clocks
  let calls = Calls()
  let sink = NamedSink()
  let circumstances: Circumstances
  /// The real one behind the sink's name; nil where it is simulated.
  let answered: AnsweredSink?
  var work = WorkCount()
  /// How many batches in a row a receiver that means well was not delivered.
  var misses = 0
  /// What of the script is still to come.
  var rest: ArraySlice<Script.Entry>
  /// What the app has to report and has no answer for yet.
  var outgoing: [Event] = []
  /// What the service has taken in, by identifier.
  var acknowledged: [String: Event] = [:]
  /// Until when people were erased.
  var erasures: [String: Instant] = [:]
  var outside = Outside()
  var tally = Tally()
  private(set) var findings: [String] = []
  let quiet: QuietTimes
  var process: LifeProcess?
  /// When the process wants to be woken.
  var wake: Instant?
  /// What the disk had counted when the process began.
  var callsBefore = 0
  var faultsBefore = 0
  /// How many of the diary's events have been on their way.
  var reported = 0
  /// Whether the app waits for an answer to what it has reported.
  var isReporting = false
  /// When the wall clock is right again that has leapt ahead: one that is not believed, and one
  /// that is.
  var excursionEnd: Instant?
  var believedUntil: Instant?
  /// The leaps that were believed, in order.
  var excursions: [Excursion] = []
  /// Whether the service is started anew while it does not believe the clock.
  var isRestartedInDoubt = false
  /// How often the machine was started.
  private(set) var boots = 1
  /// When the app has told something without saying when it was, by identifier.
  var reports: [String: [Instant]] = [:]
  var trouble: SinkTrouble?
  var pause = Pause()
  /// The disk is full until somebody has met that: how many of its calls had failed before.
  var fullSince: Int?
  /// What a death leaves on the disk, if there is one.
  var death = Death.killed
  /// The days are over: the service is told to stop, and what it knows is looked at.
  var isOver = false
  /// Turns in which no time passed.
  var idleTurns = 0

  /// - Parameter sweep: what is done to it instead of what the seed has.
  init(
    seed: UInt64, length: Int, planner: Planner, _ circumstances: Circumstances,
    sweep: Sweep.Point? = nil
  ) throws {
    self.seed = seed
    self.circumstances = circumstances
    random = SplitMix64(seed: seed)
    var diary = try Diary(
      seed: random.next(), length: length, planner: planner, people: circumstances.people,
      crowd: circumstances.crowd)
    if let sweep, sweep.deed == .erase { try diary.addErasure(at: Script.middle(of: diary)) }
    self.diary = diary
    quiet = QuietTimes(diary)
    answered = try circumstances.client.map(AnsweredSink.init)
    script =
      sweep.map { Script(diary, $0) } ?? Script(diary, &random, isAnswered: answered != nil)
    rest = script.entries[...]
    clocks = Clocks(now: diary.start - .milliseconds(1))
    directory = try Workspace()
    guard let disk = FaultyDisk(name: "disk \(seed)") else { throw NoDisk() }
    self.disk = disk
  }

  /// Lives all of it.
  ///
  /// - Returns: what is wrong, a line each; nothing if all is well.
  func run() throws -> [String] {
    while !isOver, findings.isEmpty {
      work.counting { live() }
      recover()
    }
    if findings.isEmpty { try judgeAll() }
    tally.userDays = diary.userDays
    tally.stepsMax = work.peak
    return findings
  }

  /// One process, from its start to its end; its connections are closed when this returns.
  private func live() {
    guard let process = start() else { return }
    self.process = process
    let failure = process.run()
    judge(end: failure, of: process)
    self.process = nil
    calls.forget()
    outside.forgetBatches()
    isReporting = false
    if isPowerCut {
      boots += 1
      endExcursion()
    }
  }

  /// Whether with the process the machine ends. One that is started anew believes its clock.
  private var isPowerCut: Bool { (disk.isHalted || hasFailed) && death != .killed }

  func find(_ what: String) {
    findings.append("\(clocks.now): \(what)")
  }

  struct NoDisk: Error {}

  /// The instant until which a life goes on: retries of what a sink did not take last three days.
  var end: Instant { script.isExact ? diary.until : diary.until + .days(4) }
}

/// A leap of the wall clock that lasted until it was believed, by the time that passed meanwhile.
struct Excursion {
  /// The service's patience, and a moment for it to take notice.
  static let least = TimeSpan.minutes(5) + .seconds(10)

  let start: Instant
  let end: Instant
}

/// A sink in name only: what it is handed, the life keeps.
struct NamedSink: Sink {
  var name = "sink"
  var window = 32_768

  func deliver(_ deliveries: [Reminders.Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    throw SinkOutage("nobody hands anything to it")
  }
}

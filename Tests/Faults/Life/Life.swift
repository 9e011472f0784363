import CivilTime
import Engine
import FaultyDisk
import Foundation
import Outbox
import Reminders
import Store
import TestSupport

/// The simulation of one seed: some weeks of several people, with the real store and loop on a
/// failing disk, clock and sink, and all findings.
///
/// This object may be used on one thread only. The same seed repeats the same calls.
final class Life: @unchecked Sendable {
  let seed: UInt64
  let diary: Diary
  /// The disturbances of the run.
  let script: Script
  let disk: FaultyDisk
  let directory: Workspace
  var random: SplitMix64
  var clocks: Clocks
  let calls = Calls()
  let sink = NamedSink()
  let circumstances: Circumstances
  /// The real sink; nil if the sink is simulated.
  let answeredSink: AnsweredSink?
  var work = WorkCount()
  /// The number of consecutive batches that failed although the receiver accepts all deliveries.
  var failedBatches = 0
  /// The actions of the script that are still to be carried out.
  var remainingActions: ArraySlice<Script.Entry>
  /// The app's unacknowledged events.
  var outgoing: [Event] = []
  /// The acknowledged events, by identifier.
  var acknowledged: [String: Event] = [:]
  /// The instants of erasures, by person.
  var erasures: [String: Instant] = [:]
  /// The deliveries that the sink has received and not yet answered.
  var outside = Outside()
  var tally = Tally()
  private(set) var findings: [String] = []
  /// The quiet hours of the people.
  let quiet: QuietTimes
  /// The running process; nil between two processes.
  var process: LifeProcess?
  /// The instant until which the process waits.
  var wake: Instant?
  /// The number of disk calls at the start of the process.
  var callsAtStart = 0
  /// The number of failed disk calls at the start of the process.
  var faultsAtStart = 0
  /// The number of the diary's events that were added to `outgoing`.
  var gatheredCount = 0
  /// Whether a submission is unanswered.
  var isReporting = false
  /// The end of the current leap of the wall clock that is not trusted.
  var untrustedLeapEnd: Instant?
  /// The end of the current trusted leap.
  var trustedLeapEnd: Instant?
  /// All trusted leaps, in order.
  var trustedLeaps: [TrustedLeap] = []
  /// Whether the service is to restart while it does not trust the clock.
  var isRestartedInDoubt = false
  /// The number of boots of the machine.
  private(set) var boots = 1
  /// The instants at which the app has reported untimed events, by identifier.
  var reports: [String: [Instant]] = [:]
  /// The current trouble of the sink; nil while it works.
  var trouble: SinkTrouble?
  var pause = Pause()
  /// The number of failed disk calls when the disk became full. The disk stays full until another
  /// call fails.
  var faultsWhenFull: Int?
  /// The kind of crash of the next death.
  var death = Death.killed
  /// Whether the diary's days are over and the service is stopping.
  var isOver = false
  /// The number of cycles at the current instant.
  var idleTurns = 0

  /// - Parameter sweep: replaces the seed's disturbances.
  init(
    seed: UInt64, length: Int, planner: Planner, _ circumstances: Circumstances,
    sweep: Sweep.Point? = nil
  ) throws {
    self.seed = seed
    self.circumstances = circumstances
    random = SplitMix64(seed: seed)
    var diary = try Diary(
      seed: random.next(), length: length, planner: planner, people: circumstances.people,
      burst: circumstances.burst)
    if let sweep, sweep.operation == .erase { try diary.addErasure(at: Script.middle(of: diary)) }
    self.diary = diary
    quiet = QuietTimes(diary)
    answeredSink = try circumstances.client.map(AnsweredSink.init)
    script =
      sweep.map { Script(diary, $0) }
      ?? Script(diary, &random, hasRealSink: answeredSink != nil)
    remainingActions = script.entries[...]
    clocks = Clocks(now: diary.start - .milliseconds(1))
    directory = try Workspace()
    guard let disk = FaultyDisk(name: "disk \(seed)") else { throw NoDisk() }
    self.disk = disk
  }

  /// Runs the whole simulation.
  ///
  /// - Returns: the findings, one line each.
  func run() throws -> [String] {
    while !isOver, findings.isEmpty {
      work.measure { runProcess() }
      recover()
    }
    if findings.isEmpty { try judgeAll() }
    tally.userDays = diary.userDays
    tally.stepsMax = work.peak
    return findings
  }

  /// Runs one process from start to end. The process's connections are closed on return.
  private func runProcess() {
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
      endLeap()
    }
  }

  /// Whether the process died by a power cut. A process after a boot trusts its clock.
  private var isPowerCut: Bool { (disk.isHalted || hasFailed) && death != .killed }

  /// Records a finding.
  func addFinding(_ what: String) {
    findings.append("\(clocks.now): \(what)")
  }

  /// The error if the faulty disk cannot be created.
  struct NoDisk: Error {}

  /// The end of the run. An inexact run is four days longer, because retries last up to three days.
  var end: Instant { script.isExact ? diary.until : diary.until + .days(4) }
}

/// A leap of the wall clock that lasts long enough to be trusted. Its start and end are times of
/// the right clock.
struct TrustedLeap {
  /// The time until a leap is trusted, plus 10 s for the service to notice it.
  static let lengthMin = TimeSpan.minutes(5) + .seconds(10)

  let start: Instant
  let end: Instant
}

/// A sink that has only a name and is never called. The run itself receives the deliveries.
struct NamedSink: Sink {
  var name = "sink"
  var window = 32_768

  func deliver(_ deliveries: [Reminders.Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    throw SinkOutage("this sink is never called")
  }
}

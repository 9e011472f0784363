import Outbox
import Reminders
import Systemd

/// Keeps a program running and exchanges lines with it, on a separate thread.
final class PipeLoop: ProgramLoop {
  /// A job in progress and the state of its deliveries.
  private struct Work {
    let job: ProgramJob
    var dialogue: PipeDialogue
  }

  private let settings: ProgramSettings
  /// The descriptors for which the thread waits.
  private let waits: WaitSet
  private var journal: PipeJournal
  /// The jobs that wait for the one in progress, in order of arrival.
  private var jobs: [ProgramJob] = []
  /// The job whose deliveries are sent; nil between jobs.
  private var work: Work?
  /// The running program; nil while there is none.
  private var run: PipeRun?
  /// The tag of the latest program.
  private var lastTag: UInt64 = 0
  /// The number of consecutive programs that ended without an answer.
  private var failures = 0
  /// When the program may be started again after it has ended; nil before the first end.
  private var restart: MonotonicInstant?
  private var isStopping = false

  /// The number of consecutive invalid lines after which a program is ended.
  private static let invalidLinesMax = 1_000
  /// The time for a program to end after it has closed a stream. A program that ends closes its
  /// streams first.
  private static let closeGrace = Duration.milliseconds(200)
  /// The time for a program to end after its standard input was closed.
  private static let stopGrace = Duration.seconds(2)

  /// Returns the delay before the next start: 100 ms, doubled for each consecutive program without
  /// an answer, at most 1 min.
  private static func pause(afterFailures count: Int) -> Duration {
    min(.seconds(60), .milliseconds(100 << min(count, 10)))
  }

  init(_ settings: ProgramSettings, waits: WaitSet) {
    self.settings = settings
    self.waits = waits
    journal = PipeJournal(sink: settings.name, journal: settings.journal)
  }

  var isDone: Bool { run == nil && work == nil && jobs.isEmpty }

  var wakeTime: MonotonicInstant? {
    guard let run else { return work == nil ? nil : restart }
    let silenceEnd = run.isEnding ? nil : work?.dialogue.silenceEnd
    return [run.timeLimit.nextSignalTime, silenceEnd].compactMap { $0 }.min()
  }

  func accept(_ job: ProgramJob) { jobs.append(job) }

  func performDueWork(at now: MonotonicInstant) {
    run?.signalIfOverdue(at: now)
    repeat {
      begin()
      checkSilence(at: now)
      startProgram(at: now)
      sendDeliveries(at: now)
    } while finish()
  }

  func stop(isUrgent: Bool, at now: MonotonicInstant) {
    isStopping = true
    work?.dialogue.stop()
    guard let run else {
      work?.dialogue.fail("the service stopped")
      return
    }
    if isUrgent {
      run.timeLimit.stopUrgently(at: now)
    } else if run.timeLimit.cause == nil {
      run.closeInput()
      run.timeLimit.stop(at: now + Self.stopGrace)
    }
  }

  // MARK: - Jobs

  /// Begins the next job, if none is in progress.
  private func begin() {
    guard work == nil, !jobs.isEmpty else { return }
    let job = jobs.removeFirst()
    var dialogue = PipeDialogue(
      job.documents, deadline: settings.deadline, concurrency: settings.concurrency,
      job.progress)
    if isStopping { dialogue.fail("the service stopped") }
    work = Work(job: job, dialogue: dialogue)
  }

  private func checkSilence(at now: MonotonicInstant) {
    guard let run, !run.isEnding, let end = work?.dialogue.silenceEnd, end <= now else { return }
    work?.dialogue.giveUp(at: now)
    endProgram(run, "it was silent for \(settings.deadline)", at: now)
  }

  /// Ends the program, unless that has already begun.
  ///
  /// - Parameter grace: the time in which the program may end by itself.
  private func endProgram(
    _ run: PipeRun, _ reason: String, grace: Duration = .zero, at now: MonotonicInstant
  ) {
    guard run.fault == nil else { return }
    run.fault = reason
    run.timeLimit.stop(at: now + grace)
    run.signalIfOverdue(at: now)
  }

  private func startProgram(at now: MonotonicInstant) {
    guard run == nil, !isStopping, let work, work.dialogue.isWaiting else { return }
    if let restart, now < restart { return }
    // The program and its three streams use this tag and the next three.
    lastTag += 4
    do throws(SystemCallError) {
      let run = try PipeRun(settings, tag: lastTag, waits: waits)
      journal.logStart(of: run.program.identifier)
      self.run = run
    } catch {
      self.work?.dialogue.fail(error.description)
    }
  }

  private func sendDeliveries(at now: MonotonicInstant) {
    guard let run, !run.isEnding else { return }
    while let document = work?.dialogue.next(at: now) { run.enqueue(document) }
    run.send()
    if run.input == nil {
      endProgram(run, "it closed its standard input", grace: Self.closeGrace, at: now)
    }
  }

  /// Reports the result of a finished batch; returns whether another batch waits.
  private func finish() -> Bool {
    guard let work, let result = work.dialogue.result else { return false }
    work.job.answer(result)
    self.work = nil
    return !jobs.isEmpty
  }

  // MARK: - Listening

  func attend(to tag: UInt64) {
    guard let run, let stream = run.stream(of: tag) else { return }
    let now = MonotonicInstant.now
    switch stream {
    case .input: run.send()
    case .errors: receive(run.readErrors() ?? [], at: now)
    case .output:
      if let lines = run.readAnswers() {
        receive(answers: lines, from: run, at: now)
      } else {
        endProgram(run, "it closed its standard output", grace: Self.closeGrace, at: now)
      }
    case .end:
      if let ending = run.program.reap() { recordEnd(run, ending, at: now) }
    }
  }

  private func receive(_ errorLines: [PipeLines.Line], at now: MonotonicInstant) {
    for line in errorLines { journal.log(errorLine: line, at: now) }
  }

  private func receive(answers: [PipeLines.Line], from run: PipeRun, at now: MonotonicInstant) {
    for line in answers {
      do throws(PipeAnswerError) {
        guard case .text(let text) = line else { throw .long }
        try receive(text, at: now)
        run.hasAnswered = true
        run.invalidLineCount = 0
      } catch {
        journal.log(error, at: now)
        run.invalidLineCount += 1
      }
    }
    if run.invalidLineCount >= Self.invalidLinesMax {
      endProgram(run, "it wrote \(Self.invalidLinesMax) lines that were not answers", at: now)
    }
  }

  private func receive(_ text: [UInt8], at now: MonotonicInstant) throws(PipeAnswerError) {
    let answer = try PipeAnswer(text)
    guard work != nil else { throw .unknown }
    try work?.dialogue.record(answer, body: text, at: now)
  }

  /// Reads the last output of an ended program and records its end.
  private func recordEnd(_ run: PipeRun, _ ending: ProgramEnding, at now: MonotonicInstant) {
    for _ in 0..<PipeRun.remainingBuffersMax {
      receive(answers: run.readAnswers() ?? [], from: run, at: now)
      receive(run.readErrors() ?? [], at: now)
    }
    self.run = nil
    failures = run.hasAnswered ? 0 : failures + 1
    let pause = Self.pause(afterFailures: failures)
    restart = now + pause
    let fault = run.timeLimit.hasSignalled ? run.fault : nil
    let reason = fault.map { "\($0) (\(ending))" } ?? "it ended with \(ending)"
    journal.logEnd(reason, pause: isStopping ? nil : pause)
    work?.dialogue.recordDeath(reason)
    if isStopping { work?.dialogue.fail("the service stopped") }
  }
}

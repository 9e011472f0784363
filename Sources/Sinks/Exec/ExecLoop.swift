import CivilTime
import JSON
import Outbox
import Reminders
import Systemd

/// Starts a program for each delivery and waits for the programs, on one thread.
final class ExecLoop: ProgramLoop {
  /// A `ProgramJob` in progress.
  private struct RunningJob {
    /// The number of jobs that arrived earlier.
    let number: Int
    let job: ProgramJob
    var batch: ExecBatch
  }

  private let settings: ProgramSettings
  /// The descriptors for which the thread waits.
  private let waits: WaitSet
  /// Limits the number of programs that run at a time.
  private let semaphore: AsyncSemaphore
  /// The jobs in progress, in order of arrival: programs for earlier jobs start first.
  private var jobs: [RunningJob] = []
  /// The number of jobs that have arrived so far.
  private var jobCount = 0
  /// The running programs by tag. A program's tag is even; its output has the next odd tag.
  private var runs: [UInt64: ExecRun] = [:]
  private var lastTag: UInt64 = 0
  private var isStopping = false

  init(_ settings: ProgramSettings, waits: WaitSet) {
    self.settings = settings
    self.waits = waits
    semaphore = AsyncSemaphore(settings.concurrency)
  }

  var wakeTime: MonotonicInstant? { runs.values.compactMap(\.timeLimit.nextSignalTime).min() }
  var isDone: Bool { jobs.isEmpty }

  func accept(_ job: ProgramJob) {
    var batch = ExecBatch(count: job.documents.count, job.progress)
    if isStopping { batch.stop() }
    jobs.append(RunningJob(number: jobCount, job: job, batch: batch))
    jobCount += 1
  }

  func attend(to tag: UInt64) {
    let (number, isOutput) = (tag & ~1, tag & 1 == 1)
    guard let run = runs[number] else { return }
    if isOutput {
      if !run.readOutput() { closeOutput(of: run) }
    } else if let ending = run.program.reap() {
      waits.remove(run.program.descriptor)
      _ = run.readOutput()
      closeOutput(of: run)
      runs[number] = nil
      semaphore.release()
      let answer = run.answer(to: ending, at: .now, settings: settings)
      change(run.jobNumber) { $0.recordEnd(of: run.index, answer) }
    }
  }

  private func change(_ jobNumber: Int, _ body: (inout ExecBatch) -> Void) {
    guard let jobIndex = jobs.firstIndex(where: { $0.number == jobNumber }) else { return }
    body(&jobs[jobIndex].batch)
  }

  private func closeOutput(of run: ExecRun) {
    guard let output = run.output else { return }
    waits.remove(output.number)
    run.output = nil
  }

  func performDueWork(at now: MonotonicInstant) {
    for run in runs.values { run.signalIfOverdue(at: now) }
    startPrograms(at: now)
    finish()
  }

  func stop(isUrgent: Bool, at now: MonotonicInstant) {
    isStopping = true
    for jobIndex in jobs.indices { jobs[jobIndex].batch.stop() }
    for run in runs.values {
      if isUrgent { run.timeLimit.stopUrgently(at: now) } else { run.timeLimit.stop(at: now) }
    }
  }

  private func startPrograms(at now: MonotonicInstant) {
    for jobIndex in jobs.indices {
      while jobs[jobIndex].batch.hasNext, semaphore.tryAcquire() {
        let index = jobs[jobIndex].batch.start(in: semaphore)
        do throws(SystemCallError) {
          try start(
            for: jobs[jobIndex].job.documents[index], index, ofJob: jobs[jobIndex].number,
            at: now)
        } catch {
          semaphore.release()
          jobs[jobIndex].batch.recordStartFailure(error.description)
        }
      }
    }
  }

  private func start(
    for document: any Document, _ index: Int, ofJob jobNumber: Int, at now: MonotonicInstant
  ) throws(SystemCallError) {
    let run = try ExecRun(settings, document, index, ofJob: jobNumber, at: now)
    lastTag += 2
    try waits.add(run.program.descriptor, tag: lastTag)
    if let output = run.output { try waits.add(output.number, tag: lastTag + 1) }
    runs[lastTag] = run
  }

  /// Answers the jobs that are complete.
  private func finish() {
    jobs.removeAll { running in
      guard let result = running.batch.result else { return false }
      running.job.answer(result)
      return true
    }
  }
}

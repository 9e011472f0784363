import CivilTime
import JSON
import Outbox
import Reminders
import Systemd

/// Starts a program for each delivery and waits for the programs, on one thread.
final class ExecLoop: ProgramLoop {
  /// A `ProgramOrder` in progress.
  private struct Work {
    let number: Int
    let order: ProgramOrder
    var batch: ExecBatch
  }

  private let settings: ProgramSettings
  private let waits: WaitSet
  private let semaphore: AsyncSemaphore
  /// The orders in progress, in order of arrival: programs for earlier orders start first.
  private var work: [Work] = []
  private var orderCount = 0
  /// The running programs by tag. A program's tag is even; its output has the next odd tag.
  private var runs: [UInt64: ExecRun] = [:]
  private var lastTag: UInt64 = 0
  private var isStopping = false

  init(_ settings: ProgramSettings, waits: WaitSet) {
    self.settings = settings
    self.waits = waits
    semaphore = AsyncSemaphore(settings.concurrency)
  }

  var wake: MonotonicInstant? { runs.values.compactMap(\.shutdown.next).min() }
  var isDone: Bool { work.isEmpty }

  func accept(_ order: ProgramOrder) {
    var batch = ExecBatch(count: order.documents.count, order.progress)
    if isStopping { batch.stop() }
    work.append(Work(number: orderCount, order: order, batch: batch))
    orderCount += 1
  }

  func attend(to tag: UInt64) {
    let (number, isOutput) = (tag & ~1, tag & 1 == 1)
    guard let run = runs[number] else { return }
    if isOutput {
      if !run.readOutput() { closeOutput(of: run) }
    } else if let ending = run.program.end() {
      waits.remove(run.program.descriptor)
      _ = run.readOutput()
      closeOutput(of: run)
      runs[number] = nil
      semaphore.release()
      let answer = run.answer(to: ending, at: .now, settings: settings)
      change(run.order) { $0.recordEnd(of: run.index, answer) }
    }
  }

  private func change(_ order: Int, _ body: (inout ExecBatch) -> Void) {
    guard let workIndex = work.firstIndex(where: { $0.number == order }) else { return }
    body(&work[workIndex].batch)
  }

  private func closeOutput(of run: ExecRun) {
    guard let output = run.output else { return }
    waits.remove(output.number)
    run.output = nil
  }

  func turn(at now: MonotonicInstant) {
    for run in runs.values { run.signalIfOverdue(at: now) }
    startPrograms(at: now)
    finish()
  }

  func stop(isUrgent: Bool, at now: MonotonicInstant) {
    isStopping = true
    for workIndex in work.indices { work[workIndex].batch.stop() }
    for run in runs.values {
      if isUrgent { run.shutdown.stopUrgently(at: now) } else { run.shutdown.stop(at: now) }
    }
  }

  private func startPrograms(at now: MonotonicInstant) {
    for workIndex in work.indices {
      while work[workIndex].batch.hasNext, semaphore.tryAcquire() {
        let index = work[workIndex].batch.start(in: semaphore)
        do throws(SystemCallError) {
          try start(
            for: work[workIndex].order.documents[index], index, of: work[workIndex].number, at: now)
        } catch {
          semaphore.release()
          work[workIndex].batch.couldNotStart(error.description)
        }
      }
    }
  }

  private func start(
    for document: any Document, _ index: Int, of order: Int, at now: MonotonicInstant
  ) throws(SystemCallError) {
    let run = try ExecRun(settings, document, index, of: order, at: now)
    lastTag += 2
    try waits.add(run.program.descriptor, tag: lastTag)
    if let output = run.output { try waits.add(output.number, tag: lastTag + 1) }
    runs[lastTag] = run
  }

  /// Answers the orders that are complete.
  private func finish() {
    work.removeAll { work in
      guard let result = work.batch.result else { return false }
      work.order.answer(result)
      return true
    }
  }
}

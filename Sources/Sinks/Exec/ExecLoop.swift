import CivilTime
import JSON
import Outbox
import Reminders
import Systemd

/// Starts a program for each delivery and waits for them, on a thread of their own.
final class ExecLoop: ProgramLoop {
  /// An order that is being carried out.
  private struct Work {
    let order: ProgramOrder
    var batch: ExecBatch
  }

  private let settings: ProgramSettings
  private let waits: WaitSet
  private var orders: [ProgramOrder] = []
  private var work: Work?
  /// By an even number, which is the program's tag; the odd one after it is its output's.
  private var runs: [UInt64: ExecRun] = [:]
  private var lastTag: UInt64 = 0
  private var isStopping = false

  init(_ settings: ProgramSettings, waits: WaitSet) {
    self.settings = settings
    self.waits = waits
  }

  var wake: MonotonicInstant? { runs.values.compactMap(\.patience.next).min() }
  var isDone: Bool { work == nil && orders.isEmpty }

  func take(_ order: ProgramOrder) { orders.append(order) }

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
      work?.batch.ended(run.index, run.answer(to: ending, at: .now, settings: settings))
    }
  }

  private func closeOutput(of run: ExecRun) {
    guard let output = run.output else { return }
    waits.remove(output.number)
    run.output = nil
  }

  func turn(at now: MonotonicInstant) {
    for run in runs.values { run.losePatience(at: now) }
    repeat {
      if work == nil, !orders.isEmpty { begin(orders.removeFirst()) }
      startPrograms(at: now)
    } while finish()
  }

  func stop(isUrgent: Bool, at now: MonotonicInstant) {
    isStopping = true
    work?.batch.stop()
    for run in runs.values {
      if isUrgent { run.patience.stopUrgently(at: now) } else { run.patience.stop(at: now) }
    }
  }

  private func begin(_ order: ProgramOrder) {
    var batch = ExecBatch(count: order.documents.count)
    if isStopping { batch.stop() }
    work = Work(order: order, batch: batch)
  }

  private func startPrograms(at now: MonotonicInstant) {
    while let index = work?.batch.start(concurrency: settings.concurrency) {
      guard let document = work?.order.documents[index] else { return }
      do throws(SystemCallError) {
        try start(for: document, index, at: now)
      } catch {
        work?.batch.couldNotStart(error.description)
      }
    }
  }

  private func start(
    for document: any Document, _ index: Int, at now: MonotonicInstant
  ) throws(SystemCallError) {
    let run = try ExecRun(settings, document, index, at: now)
    lastTag += 2
    try waits.add(run.program.descriptor, tag: lastTag)
    if let output = run.output { try waits.add(output.number, tag: lastTag + 1) }
    runs[lastTag] = run
  }

  /// Answers if everything is done; whether there is more to do.
  private func finish() -> Bool {
    guard let work, let result = work.batch.result else { return false }
    work.order.answer(result)
    self.work = nil
    return !orders.isEmpty
  }
}

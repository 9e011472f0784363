import Systemd

/// Logs events of a program that answers line by line, in a limited number of lines.
struct PipeJournal {
  let sink: String
  private let journal: Journal
  private var errors = LineBudget()
  private var faults = LineBudget()

  /// The maximum length of a logged line of standard error in bytes; the rest is dropped.
  private static let lengthMax = 1_000

  init(sink: String, journal: Journal) {
    self.sink = sink
    self.journal = journal
  }

  /// Logs a line of the program's standard error.
  mutating func log(errorLine line: PipeLines.Line, at now: MonotonicInstant) {
    let decision = errors.next(at: now)
    guard decision != .leaveOut else { return }
    logOmissions(decision, of: "standard error")
    switch line {
    case .text(let text):
      send("stderr: \(String(decoding: text.prefix(Self.lengthMax), as: UTF8.self))", .notice)
    case .long: send("stderr: a line that is too long", .notice)
    }
  }

  mutating func log(_ fault: PipeAnswerError, at now: MonotonicInstant) {
    let decision = faults.next(at: now)
    guard decision != .leaveOut else { return }
    logOmissions(decision, of: "the answers")
    send("an output line is not a valid answer: \(fault)", .warning)
  }

  func logStart(of program: Int32) {
    send("program started (process \(program))", .informational)
  }

  mutating func logEnd(_ reason: String, pause: Duration?) {
    for (budget, what) in [(errors, "standard error"), (faults, "the answers")]
    where budget.unreportedCount > 0 {
      logOmissions(.passAfter(leftOut: budget.unreportedCount), of: what)
    }
    errors = LineBudget()
    faults = LineBudget()
    guard let pause else { return send("the program is gone: \(reason)", .informational) }
    send(
      "the program is gone: \(reason); it restarts in \(pause) at the earliest", .warning)
  }

  private func logOmissions(_ decision: LineBudget.Decision, of what: String) {
    guard case .passAfter(let count) = decision else { return }
    send("\(count) lines of \(what) were left out", .warning)
  }

  private func send(_ text: String, _ priority: JournalPriority) {
    journal.send(
      message: "the sink \(sink): \(text)", priority: priority, fields: [(.sink, sink)])
  }
}

import Systemd

/// Logs the starts, the ends, the standard error and the invalid answers of a `pipe` sink's
/// program. The number of logged lines is limited.
struct PipeJournal {
  /// The name of the sink.
  let sink: String
  private let journal: Journal
  /// Limits the logged lines of standard error.
  private var errorBudget = LineBudget()
  /// Limits the logged lines about invalid answers.
  private var faultBudget = LineBudget()

  /// The maximum length of a logged line of standard error in bytes; the rest is dropped.
  private static let lengthMax = 1_000

  init(sink: String, journal: Journal) {
    self.sink = sink
    self.journal = journal
  }

  /// Logs a line of the program's standard error.
  mutating func log(errorLine line: PipeLines.Line, at now: MonotonicInstant) {
    let decision = errorBudget.next(at: now)
    guard decision != .leaveOut else { return }
    logOmissions(decision, of: "standard error")
    switch line {
    case .text(let text):
      send("stderr: \(String(decoding: text.prefix(Self.lengthMax), as: UTF8.self))", .notice)
    case .long: send("stderr: a line that is too long", .notice)
    }
  }

  mutating func log(_ fault: PipeAnswerError, at now: MonotonicInstant) {
    let decision = faultBudget.next(at: now)
    guard decision != .leaveOut else { return }
    logOmissions(decision, of: "the answers")
    send("an output line is not a valid answer: \(fault)", .warning)
  }

  func logStart(of program: Int32) {
    send("program started (process \(program))", .informational)
  }

  /// - Parameter pause: the shortest time until the next start; nil if the service stops.
  mutating func logEnd(_ reason: String, pause: Duration?) {
    for (budget, source) in [(errorBudget, "standard error"), (faultBudget, "the answers")]
    where budget.unreportedCount > 0 {
      logOmissions(.passAfter(leftOut: budget.unreportedCount), of: source)
    }
    errorBudget = LineBudget()
    faultBudget = LineBudget()
    guard let pause else { return send("the program is gone: \(reason)", .informational) }
    send(
      "the program is gone: \(reason); it restarts in \(pause) at the earliest", .warning)
  }

  /// Logs how many lines of a source were left out, if any were.
  private func logOmissions(_ decision: LineBudget.Decision, of source: String) {
    guard case .passAfter(let count) = decision else { return }
    send("\(count) lines of \(source) were left out", .warning)
  }

  private func send(_ text: String, _ priority: JournalPriority) {
    journal.send(
      message: "the sink \(sink): \(text)", priority: priority, fields: [(.sink, sink)])
  }
}

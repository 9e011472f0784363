import Systemd

/// `type: pipe`: a program that keeps running is handed deliveries and answers line by line.
package struct PipeConfiguration: ProgramSinkConfiguration {
  package static let kind = ProgramSinkKind.pipe

  package let command: ProgramCommand

  package init(command: ProgramCommand) { self.command = command }
}

extension ProgramSinkKind {
  /// A program that keeps running has deliveries, a line of JSON each, and answers the same way.
  package static let pipe = Self(type: "pipe", concurrency: 16) { PipeLoop($0, waits: $1) }
}

/// What is told of a program that answers line by line, so much that a person can read it.
struct PipeJournal {
  let sink: String
  private let journal: Journal
  private var errors = LineBudget()
  private var faults = LineBudget()

  /// How much of a line of standard error is passed on, in bytes.
  private static let lengthMax = 1_000

  init(sink: String, journal: Journal) {
    self.sink = sink
    self.journal = journal
  }

  /// A line that the program has written to standard error.
  mutating func tell(error line: PipeLines.Line, at now: MonotonicInstant) {
    let decision = errors.next(at: now)
    guard decision != .leaveOut else { return }
    tell(decision, of: "standard error")
    switch line {
    case .text(let text):
      send("its program: \(String(decoding: text.prefix(Self.lengthMax), as: UTF8.self))", .notice)
    case .long: send("its program: a line that is too long", .notice)
    }
  }

  mutating func tell(_ fault: PipeFault, at now: MonotonicInstant) {
    let decision = faults.next(at: now)
    guard decision != .leaveOut else { return }
    tell(decision, of: "its answers")
    send("a line of its program is no answer: \(fault)", .warning)
  }

  func tell(start program: Int32) {
    send("its program was started (process \(program))", .informational)
  }

  mutating func tell(end reason: String, pause: Duration?) {
    for (budget, what) in [(errors, "standard error"), (faults, "its answers")]
    where budget.rest > 0 {
      tell(.passAfter(leftOut: budget.rest), of: what)
    }
    errors = LineBudget()
    faults = LineBudget()
    guard let pause else { return send("its program is gone: \(reason)", .informational) }
    send(
      "its program is gone: \(reason); it is started again in \(pause) at the earliest", .warning)
  }

  private func tell(_ decision: LineBudget.Decision, of what: String) {
    guard case .passAfter(let count) = decision else { return }
    send("\(count) lines of \(what) were left out", .warning)
  }

  private func send(_ text: String, _ priority: JournalPriority) {
    journal.send(
      message: "the sink \(sink): \(text)", priority: priority, fields: [(.sink, sink)])
  }
}

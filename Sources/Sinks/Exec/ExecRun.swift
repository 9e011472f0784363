import CivilTime
import Glibc
import JSON
import Outbox
import Reminders
import Systemd

/// A running program of one delivery.
final class ExecRun {
  /// The number of the `ProgramJob` whose delivery the program gets.
  let jobNumber: Int
  /// The index of the delivery in the job's documents.
  let index: Int
  let program: RunningProgram
  /// The pipe that the program's standard output and standard error share.
  var output: Descriptor?
  var timeLimit: ProgramTimeLimit
  /// When the program was started.
  private let startTime: MonotonicInstant
  private var outputBytes: [UInt8] = []

  /// The limit of stored output in bytes. The rest is read and discarded, because closing the pipe
  /// would kill the program by SIGPIPE.
  private static let outputMax = 64 << 10
  /// The maximum number of reads in a row, so that a program that never stops writing does not
  /// delay others.
  private static let readingsMax = 16

  init(
    _ settings: ProgramSettings, _ document: any Document, _ index: Int, ofJob jobNumber: Int,
    at now: MonotonicInstant
  ) throws(SystemCallError) {
    var writer = JSONWriter(reservingCapacity: 1_024)
    document.writeLine(to: &writer)
    let input = try Descriptor.holding(writer.bytes)
    let pipe = try Descriptor.pipe()
    pipe.reading.makeNonBlocking()
    program = try RunningProgram(
      settings.command.arguments,
      environment: settings.command.environment(
        from: settings.environment, adding: ["CHIMED_DELIVERY=\(document.fullIdentifier)"]),
      input: input.number, output: pipe.writing.number, errors: pipe.writing.number,
      limits: RunningProgram.Limits(
        memory: settings.command.memory, processorTime: settings.deadline))
    output = pipe.reading
    (self.jobNumber, self.index) = (jobNumber, index)
    startTime = now
    timeLimit = ProgramTimeLimit(deadline: now + settings.deadline)
  }

  /// Reads available output, or part of it; returns false at the end of the output.
  func readOutput() -> Bool {
    guard let output else { return false }
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    for _ in 0..<Self.readingsMax {
      switch output.read(&buffer) {
      case .nothing: return true
      case .end: return false
      case .bytes(let bytes): outputBytes += bytes.prefix(Self.outputMax - outputBytes.count)
      }
    }
    return true
  }

  func signalIfOverdue(at now: MonotonicInstant) {
    if let signal = timeLimit.signal(at: now) { program.signal(signal) }
  }

  func answer(
    to ending: ProgramEnding, at now: MonotonicInstant, settings: ProgramSettings
  ) -> SinkAnswer {
    let duration = TimeSpan(startTime.duration(to: now))
    let response = SinkResponse(status: ending.description, body: outputBytes, duration: duration)
    return SinkAnswer(verdict(of: ending, settings), response: response)
  }

  private func verdict(
    of ending: ProgramEnding, _ settings: ProgramSettings
  ) -> SinkAnswer.Verdict {
    switch timeLimit.cause {
    case .deadline:
      .retry(after: nil, reason: "the program took longer than \(TimeSpan(settings.deadline))")
    case .stop where ending != .exited(0):
      .retry(after: nil, reason: "the service stopped while the program was running")
    case .stop, nil: ending.verdict
    }
  }
}

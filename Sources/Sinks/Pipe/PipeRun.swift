import Glibc
import JSON
import Outbox
import Reminders
import Systemd

/// A running program with its standard streams.
final class PipeRun {
  /// A descriptor of the program, by the last two bits of its tag: a standard stream, or `end`. The
  /// descriptor `end` becomes readable when the program ends.
  enum Stream: UInt64, CaseIterable {
    case end, output, errors, input
  }

  let program: RunningProgram
  private(set) var input: Descriptor?
  private(set) var output: Descriptor?
  private(set) var errors: Descriptor?
  var timeLimit = ProgramTimeLimit()
  /// The reason why the program is being ended; nil while it is not.
  var fault: String?
  /// Whether the program has given any valid answer.
  var hasAnswered = false
  /// The number of invalid lines since the program's last valid answer.
  var invalidLineCount = 0

  private let waits: WaitSet
  /// The tag of the program in `waits`, a multiple of four.
  private let tag: UInt64
  /// The lines, or the rest of one, that the pipe has not yet accepted.
  private var unsent: [UInt8] = []
  /// Whether `waits` contains the program's standard input.
  private var isWaitingToSend = false
  /// Splits the standard output into lines.
  private var answers = PipeLines()
  /// Splits the standard error into lines.
  private var errorLines = PipeLines()
  private var buffer = [UInt8](repeating: 0, count: 32 << 10)

  /// - Parameter tag: a multiple of four. The program and its streams have this tag and the next
  ///   three in the wait set.
  init(
    _ settings: ProgramSettings, tag: UInt64, waits: WaitSet
  ) throws(SystemCallError) {
    let input = try Descriptor.pipe()
    let output = try Descriptor.pipe()
    let errors = try Descriptor.pipe()
    for end in [input.writing, output.reading, errors.reading] { end.makeNonBlocking() }
    program = try RunningProgram(
      settings.command.arguments,
      environment: settings.command.environment(from: settings.environment),
      input: input.reading.number, output: output.writing.number, errors: errors.writing.number,
      limits: RunningProgram.Limits(memory: settings.command.memory))
    (self.input, self.output, self.errors) = (input.writing, output.reading, errors.reading)
    self.tag = tag
    self.waits = waits
    try waits.add(program.descriptor, tag: tag | Stream.end.rawValue)
    try waits.add(output.reading.number, tag: tag | Stream.output.rawValue)
    try waits.add(errors.reading.number, tag: tag | Stream.errors.rawValue)
  }

  deinit {
    waits.remove(program.descriptor)
    for stream in [input, output, errors] {
      if let stream { waits.remove(stream.number) }
    }
  }

  /// Returns the descriptor with this tag; nil if the tag belongs to an earlier program.
  func stream(of tag: UInt64) -> Stream? {
    tag & ~3 == self.tag ? Stream(rawValue: tag & 3) : nil
  }

  /// Whether the program has got the signal to end, or will get it.
  var isEnding: Bool { fault != nil || timeLimit.cause != nil }

  // MARK: - To the program

  /// Appends a document to the lines that `send` writes.
  func enqueue(_ document: any Document) {
    var writer = JSONWriter(reservingCapacity: 1_024)
    document.writeLine(to: &writer)
    unsent += writer.bytes
  }

  /// Writes as much as the pipe accepts; the rest follows when the pipe accepts more.
  func send() {
    guard let input else {
      unsent = []
      return
    }
    var sentCount = 0
    while sentCount < unsent.count {
      let count = unsent[sentCount...].withUnsafeBytes { bytes in
        write(input.number, bytes.baseAddress, bytes.count)
      }
      if count > 0 {
        sentCount += count
      } else if errno != EINTR {
        if errno != EAGAIN { return closeInput() }
        break
      }
    }
    unsent.removeFirst(sentCount)
    waitToSend(!unsent.isEmpty)
  }

  /// Closes the program's standard input.
  func closeInput() {
    waitToSend(false)
    unsent = []
    input = nil
  }

  /// Begins or ends the wait for the program's standard input to accept more bytes.
  private func waitToSend(_ isNeeded: Bool) {
    guard let input, isNeeded != isWaitingToSend else { return }
    isWaitingToSend = isNeeded
    if isNeeded {
      try? waits.add(input.number, tag: tag | Stream.input.rawValue, isWriting: true)
    } else {
      waits.remove(input.number)
    }
  }

  // MARK: - From the program

  /// Reads answers from standard output, at most one buffer at a time. So a program that never
  /// stops writing does not delay others. Returns nil at the end of the output.
  func readAnswers() -> [PipeLines.Line]? {
    guard let output else { return nil }
    switch output.read(&buffer) {
    case .nothing: return []
    case .bytes(let bytes): return answers.append(bytes)
    case .end:
      waits.remove(output.number)
      self.output = nil
      return nil
    }
  }

  /// Reads lines from standard error, at most one buffer at a time. Returns nil after its end.
  func readErrors() -> [PipeLines.Line]? {
    guard let errors else { return nil }
    switch errors.read(&buffer) {
    case .nothing: return []
    case .bytes(let bytes): return errorLines.append(bytes)
    case .end:
      waits.remove(errors.number)
      self.errors = nil
      return errorLines.finish().map { [$0] } ?? []
    }
  }

  /// The maximum number of buffers read from the pipes of an ended program.
  static let remainingBuffersMax = 16

  func signalIfOverdue(at now: MonotonicInstant) {
    if let signal = timeLimit.signal(at: now) { program.signal(signal) }
  }
}

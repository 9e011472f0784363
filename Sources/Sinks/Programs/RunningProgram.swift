import CSystemd
import Glibc
import Systemd

/// A program that was started here. It does not outlive this value.
final class RunningProgram {
  let identifier: pid_t
  /// Has something to read once the program has ended.
  let descriptor: Int32
  private var ending: ProgramEnding?

  /// How much the programs may take.
  struct Limits {
    var memory: Int64?
    /// Rounded up to seconds, for each of its processes.
    var processorTime: Duration?

    /// What is usual; the service itself has many more, for its clients.
    static let files: UInt64 = 1_024
  }

  /// - Parameters:
  ///   - environment: all of it, `NAME=VALUE` each.
  ///   - input: becomes its standard input; like the other two it stays open here.
  init(
    _ arguments: [String], environment: [String], input: Int32, output: Int32, errors: Int32,
    limits: Limits
  ) throws(SystemCallError) {
    var descriptor: Int32 = -1
    let seconds = limits.processorTime.map { UInt64(max(1, ($0 / .seconds(1)).rounded(.up))) } ?? 0
    let identifier = withCStrings(arguments) { arguments in
      withCStrings(environment) { environment in
        var program = chime_program(
          path: arguments?.pointee, arguments: arguments, environment: environment, input: input,
          output: output, errors: errors, memory_max: UInt64(limits.memory ?? 0),
          cpu_seconds_max: seconds, files_max: Limits.files)
        return chime_program_start(&program, &descriptor)
      }
    }
    self.identifier = try SystemCallError.check("start \(arguments[0])", identifier)
    self.descriptor = descriptor
  }

  deinit {
    signal(SIGKILL)
    _ = end(mayWait: true)
    close(descriptor)
  }

  /// Sends a signal to the program and what it has started.
  func signal(_ signal: Int32) {
    if ending == nil { _ = chime_program_signal(identifier, signal) }
  }

  /// How it has ended; nil if it has not. What is left of its group then is killed.
  func end(mayWait: Bool = false) -> ProgramEnding? {
    if let ending { return ending }
    var status: Int32 = 0
    switch chime_program_reap(identifier, descriptor, mayWait, &status) {
    case 0: break
    case 1: ending = .exited(status)
    case 2: ending = .killed(signal: status)
    default: ending = .unknown
    }
    return ending
  }
}

/// Lends the texts as C has them, with a null pointer after the last.
private func withCStrings<Value>(
  _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Value
) -> Value {
  let copies = texts.map { strdup($0) } + [nil]
  defer { for copy in copies { free(copy) } }
  return copies.withUnsafeBufferPointer { body($0.baseAddress) }
}

/// Descriptors that one thread waits on together, each known by a number.
final class WaitSet: Sendable {
  private let descriptor: Int32

  init() throws(SystemCallError) {
    descriptor = try SystemCallError.check("open an epoll", chime_wait_open())
  }

  deinit { close(descriptor) }

  /// - Parameter isWriting: waits for room to write in place of something to read.
  func add(_ other: Int32, tag: UInt64, isWriting: Bool = false) throws(SystemCallError) {
    let result =
      isWriting
      ? chime_wait_add_writing(descriptor, other, tag) : chime_wait_add(descriptor, other, tag)
    _ = try SystemCallError.check("wait for a descriptor", result)
  }

  /// To be called before the descriptor is closed.
  func remove(_ other: Int32) {
    _ = chime_wait_remove(descriptor, other)
  }

  /// The numbers of those that have something to say; none once the time has come.
  func wait(until deadline: MonotonicInstant?) -> [UInt64] {
    var tags = [UInt64](repeating: 0, count: 16)
    let count = chime_wait(descriptor, &tags, Int32(tags.count), Self.milliseconds(until: deadline))
    return Array(tags.prefix(Int(max(0, count))))
  }

  /// Rounded up: who is woken too early has to wait again.
  private static func milliseconds(until deadline: MonotonicInstant?) -> Int32 {
    guard let deadline else { return -1 }
    let rest = MonotonicInstant.now.duration(to: deadline)
    return rest <= .zero ? 0 : Int32(clamping: Int64(rest / .milliseconds(1)) + 1)
  }
}

extension Descriptor {
  /// A file in memory, to be read from its start.
  static func holding(_ bytes: [UInt8]) throws(SystemCallError) -> Descriptor {
    let number = bytes.withUnsafeBytes { chime_text_open($0.baseAddress, $0.count) }
    return Descriptor(try SystemCallError.check("hold a text in memory", number))
  }

  static func pipe() throws(SystemCallError) -> (reading: Descriptor, writing: Descriptor) {
    var ends: [Int32] = [-1, -1]
    _ = try SystemCallError.check("open a pipe", chime_pipe_open(&ends))
    return (Descriptor(ends[0]), Descriptor(ends[1]))
  }

  /// From now on a call returns at once where it would wait.
  func doNotWait() {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }

  enum Reading {
    case bytes(ArraySlice<UInt8>)
    /// There is nothing yet.
    case nothing
    case end
  }

  /// What can be read at once, at most as much as the buffer holds.
  func read(_ buffer: inout [UInt8]) -> Reading {
    while true {
      let count = Glibc.read(number, &buffer, buffer.count)
      if count > 0 { return .bytes(buffer[..<count]) }
      if count < 0, errno == EINTR { continue }
      return count < 0 && errno == EAGAIN ? .nothing : .end
    }
  }
}

import CSystemd
import Glibc
import Systemd

/// A child process. The process and its group are killed when this object is released.
final class RunningProgram {
  /// The process identifier, which is also that of the program's process group.
  let identifier: pid_t
  /// A descriptor that becomes readable when the program has ended.
  let descriptor: Int32
  /// How the program ended; nil before it is reaped.
  private var ending: ProgramEnding?

  /// The resource limits of the program.
  struct Limits {
    /// The maximum address space of each of the program's processes, in bytes.
    var memory: Int64?
    /// The maximum processor time of each of the program's processes, rounded up to seconds.
    var processorTime: Duration?

    /// The usual limit of open files. The service itself has a much higher limit, for its clients.
    static let files: UInt64 = 1_024
  }

  /// - Parameters:
  ///   - environment: the complete environment, as `NAME=VALUE` entries.
  ///   - input: becomes the program's standard input. Like the other two descriptors, it stays open
  ///     in this process.
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
    _ = reap(mayWait: true)
    close(descriptor)
  }

  /// Sends a signal to the program's process group.
  func signal(_ signal: Int32) {
    if ending == nil { _ = chime_program_signal(identifier, signal) }
  }

  /// Returns how the program ended, and kills the rest of its process group; nil while the program
  /// is running.
  ///
  /// - Parameter mayWait: whether to wait until the program has ended.
  func reap(mayWait: Bool = false) -> ProgramEnding? {
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

/// Passes the texts to `body` as a C array that ends with a null pointer.
private func withCStrings<Value>(
  _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Value
) -> Value {
  let copies = texts.map { strdup($0) } + [nil]
  defer { for copy in copies { free(copy) } }
  return copies.withUnsafeBufferPointer { body($0.baseAddress) }
}

/// A set of descriptors (epoll) that one thread waits for, each with a tag.
final class WaitSet: Sendable {
  private let descriptor: Int32

  init() throws(SystemCallError) {
    descriptor = try SystemCallError.check("open an epoll", chime_wait_open())
  }

  deinit { close(descriptor) }

  /// - Parameter isWriting: whether to wait until data can be written, instead of read.
  func add(_ watched: Int32, tag: UInt64, isWriting: Bool = false) throws(SystemCallError) {
    let result =
      isWriting
      ? chime_wait_add_writing(descriptor, watched, tag) : chime_wait_add(descriptor, watched, tag)
    _ = try SystemCallError.check("wait for a descriptor", result)
  }

  /// Removes a descriptor; call it before the descriptor is closed.
  func remove(_ watched: Int32) {
    _ = chime_wait_remove(descriptor, watched)
  }

  /// Waits for events and returns the tags of the ready descriptors. Returns an empty list if
  /// none is ready until the deadline.
  func wait(until deadline: MonotonicInstant?) -> [UInt64] {
    var tags = [UInt64](repeating: 0, count: 16)
    let count = chime_wait(descriptor, &tags, Int32(tags.count), Self.milliseconds(until: deadline))
    return Array(tags.prefix(Int(max(0, count))))
  }

  /// The milliseconds until a deadline, rounded up, because a thread that wakes too early has to
  /// wait again.
  private static func milliseconds(until deadline: MonotonicInstant?) -> Int32 {
    guard let deadline else { return -1 }
    let remaining = MonotonicInstant.now.duration(to: deadline)
    return remaining <= .zero ? 0 : Int32(clamping: Int64(remaining / .milliseconds(1)) + 1)
  }
}

extension Descriptor {
  /// Creates a file in memory, positioned at its start.
  static func holding(_ bytes: [UInt8]) throws(SystemCallError) -> Descriptor {
    let number = bytes.withUnsafeBytes { chime_text_open($0.baseAddress, $0.count) }
    return Descriptor(try SystemCallError.check("hold a text in memory", number))
  }

  static func pipe() throws(SystemCallError) -> (reading: Descriptor, writing: Descriptor) {
    var ends: [Int32] = [-1, -1]
    _ = try SystemCallError.check("open a pipe", chime_pipe_open(&ends))
    return (Descriptor(ends[0]), Descriptor(ends[1]))
  }

  func makeNonBlocking() {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }

  enum Reading {
    case bytes(ArraySlice<UInt8>)
    /// No data is available yet.
    case nothing
    case end
  }

  /// Reads the available data, at most as much as fits into the buffer.
  func read(_ buffer: inout [UInt8]) -> Reading {
    while true {
      let count = Glibc.read(number, &buffer, buffer.count)
      if count > 0 { return .bytes(buffer[..<count]) }
      if count < 0, errno == EINTR { continue }
      return count < 0 && errno == EAGAIN ? .nothing : .end
    }
  }
}

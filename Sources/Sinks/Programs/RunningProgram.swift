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

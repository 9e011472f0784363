import CSystemd
import Glibc
import Synchronization
import Testing

/// A program that runs beside the test and ends with this object.
final class ChildProcess: Sendable {
  /// The id of the process; zero once the process has ended.
  private let process: Mutex<pid_t>
  private let output: Int32
  /// The writing end of the program's standard input. The system closes it when the tests end in
  /// any way.
  private let input: Int32

  /// - Parameter commandLine: a program, found by PATH, and its arguments.
  init(_ commandLine: [String]) throws {
    let (outputEnd, outputOfChild) = try Self.makePipe()
    let (inputOfChild, inputEnd) = try Self.makePipe()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, inputOfChild, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, outputOfChild, STDOUT_FILENO)
    var arguments = commandLine.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)
    var process: pid_t = 0
    let status = posix_spawnp(&process, commandLine[0], &actions, nil, arguments, environ)
    close(outputOfChild)
    close(inputOfChild)
    output = outputEnd
    input = inputEnd
    self.process = Mutex(process)
    try #require(status == 0, "\(commandLine[0]) cannot be run")
  }

  deinit {
    stop()
    close(output)
    close(input)
  }

  private static func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    // Other threads start programs, which must not inherit the ends.
    try #require(chime_pipe_open(&ends) == 0)
    return (ends[0], ends[1])
  }

  /// Reads the program's output up to the next line break or the end.
  func readLine() -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }

  /// Kills the program, and returns once it is gone.
  func stop() {
    process.withLock { process in
      guard process > 0 else { return }
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
      process = 0
    }
  }

  /// Waits for the program's end.
  ///
  /// - Returns: the exit status; nil if a signal has ended the program.
  func wait() -> Int32? {
    process.withLock { process in
      var status: Int32 = 0
      waitpid(process, &status, 0)
      process = 0
      return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    }
  }
}

import CSystemd
import Glibc

/// A program that a test has started. It is killed at the end of this object's life.
final class ChildProcess {
  enum Ending: Hashable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  let output: Inlet
  let errors: Inlet
  let identifier: pid_t
  /// The other end of the program's standard input, if any.
  private let input: Int32?
  private var ending: Ending?

  /// - Parameters:
  ///   - terminal: the program's standard output; a pipe if nil.
  ///   - errorTerminal: the program's standard error; a pipe if nil.
  ///   - isFed: whether `feed` writes to the program's standard input, which is otherwise empty.
  init(
    _ program: String, _ arguments: [String], environment: [String: String] = [:],
    on terminal: Terminal? = nil, errorsOn errorTerminal: Terminal? = nil,
    isFed: Bool = false
  ) throws {
    let (output, outputEnd) = try Self.outputEnds(on: terminal)
    let (errors, errorsEnd) = try Self.outputEnds(on: errorTerminal)
    let (inputEnd, input) = isFed ? try Self.ends() : (nil, nil)
    defer {
      for end in [outputEnd, errorsEnd, inputEnd] { if let end { close(end) } }
    }
    self.input = input
    self.output = output
    self.errors = errors
    identifier = try Self.spawn(
      program, arguments, Self.environment(environment), input: inputEnd, output: outputEnd,
      errors: errorsEnd)
  }

  deinit {
    if let input { close(input) }
    guard ending == nil else { return }
    send(SIGKILL)
    _ = wait()
  }

  /// Writes a line to the program's standard input.
  func feed(_ line: String) throws {
    let bytes = Array((line + "\n").utf8)
    guard let input, write(input, bytes, bytes.count) == bytes.count else {
      throw Failure("the program does not read")
    }
  }

  func send(_ signal: Int32) {
    if ending == nil { kill(identifier, signal) }
  }

  /// Reads the program's output to its end, and waits for the program.
  ///
  /// - Parameters:
  ///   - timeout: how many seconds may pass without output.
  ///   - other: a program that exchanges data with this one. The other program's output is read as
  ///     well, so that the other program does not block.
  func finish(timeout: Int32 = Poll.timeout, reading other: ChildProcess? = nil) throws -> Ending {
    let others = other.map { [$0.output, $0.errors] } ?? []
    while !output.isAtEnd || !errors.isAtEnd {
      let open = ([output, errors] + others).filter { !$0.isAtEnd }
      let ready = try Poll.wait(reading: open.map(\.descriptor), timeout: timeout)
      for inlet in open where ready.contains(inlet.descriptor) { inlet.read() }
    }
    return wait()
  }

  private func wait() -> Ending {
    if let ending { return ending }
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7f
    let ending = signal == 0 ? Ending.exited(status >> 8 & 0xff) : .killed(signal: signal)
    self.ending = ending
    return ending
  }

  // MARK: - Starting

  /// Returns the ends of a terminal, or of a new pipe if nil: this process's and the program's.
  private static func outputEnds(on terminal: Terminal?) throws -> (inlet: Inlet, end: Int32?) {
    if let terminal { return (Inlet(dup(terminal.master)), try terminal.open()) }
    let (reading, writing) = try ends()
    return (Inlet(reading), writing)
  }

  /// Opens a pipe, and returns its ends.
  private static func ends() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    // Other threads start programs, which must not inherit the ends.
    guard chime_pipe_open(&ends) == 0 else { throw Failure("no pipe can be opened") }
    return (ends[0], ends[1])
  }

  /// Returns this process's `PATH` and the added variables. Backtraces of crashes are switched off,
  /// because they are slow.
  private static func environment(_ added: [String: String]) -> [String] {
    let path = Project.variable("PATH") ?? "/usr/sbin:/usr/bin:/sbin:/bin"
    return ["PATH=\(path)", "SWIFT_BACKTRACE=enable=no"] + added.map { "\($0)=\($1)" }
  }

  private static func spawn(
    _ program: String, _ arguments: [String], _ environment: [String], input: Int32?,
    output: Int32?, errors: Int32?
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    for (end, standard) in [
      (input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO),
    ] {
      if let end { posix_spawn_file_actions_adddup2(&actions, end, standard) }
    }
    // Closes files that other tests in this process have opened.
    for other in Files.names(in: "/proc/self/fd").compactMap({ Int32($0) }) where other > 2 {
      posix_spawn_file_actions_addclose(&actions, other)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    resetSignals(&attributes)
    var identifier: pid_t = 0
    let code = withCStrings([program] + arguments) { arguments in
      withCStrings(environment) { environment in
        posix_spawn(&identifier, program, &actions, &attributes, arguments, environment)
      }
    }
    guard code == 0 else { throw Failure("\(program): \(String(cString: strerror(code)))") }
    return identifier
  }

  /// Test threads block signals; the started program must not.
  private static func resetSignals(_ attributes: inout posix_spawnattr_t) {
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
  }

  private static func withCStrings<Value>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
  ) -> Value {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}

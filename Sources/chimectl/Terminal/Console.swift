import CivilTime
import Glibc
import JSON

/// Standard output and standard error.
package enum Console {
  static func printError(_ text: String) {
    _ = write(text, to: STDERR_FILENO)
  }

  /// Prints a command's result. A failed write ends the program with an error, so that an
  /// incomplete result is not mistaken for a complete one. A pipe that its reader has closed causes
  /// no error.
  static func printOutput(_ text: String) {
    let code = write(text, to: STDOUT_FILENO)
    if code != 0, code != EPIPE { fail(code) }
  }

  static func printJSON(_ document: JSONValue) {
    printOutput(JSONWriter.prettyPrinted(document) + "\n")
  }

  /// Prints a document as one line.
  static func printLine(_ document: JSONValue) {
    printOutput("\(document)\n")
  }

  /// Prints a part of an endless output. The program ends when the reader closes the pipe, which
  /// `head` does.
  static func printPart(_ text: String) { printPart(Array(text.utf8)) }

  /// Prints a part of an endless output, given as bytes.
  package static func printPart(_ bytes: [UInt8]) {
    let code = write(bytes, to: STDOUT_FILENO)
    if code == EPIPE { _exit(0) }
    if code != 0 { fail(code) }
  }

  private static func fail(_ code: Int32) -> Never {
    let reason = String(cString: strerror(code))
    printError(CommandError(.inputOutput, "standard output cannot be written: \(reason)").text)
    exit(CommandError.Code.inputOutput.rawValue)
  }

  /// The screen of standard output with its current size.
  static var screen: Screen {
    guard isatty(STDOUT_FILENO) == 1 else { return .paper }
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return .terminal(
      size: isKnown ? (Int(size.ws_col), Int(size.ws_row)) : nil,
      environment: variables(["TERM", "NO_COLOR"]))
  }

  /// The current screen of standard output.
  ///
  /// - Parameter isFull: whether to ignore the screen's width.
  package static func screen(isFull: Bool) -> Screen {
    var screen = screen
    if isFull { screen.width = nil }
    return screen
  }

  /// The environment variables that locate the service.
  static var environment: [String: String] {
    variables(["CHIMED_SOCKET", "CHIMED_URL", "CHIMED_TOKEN", "XDG_RUNTIME_DIR"])
  }

  /// Whether standard error is a terminal on which a line can be overwritten.
  package static var showsProgress: Bool {
    isatty(STDERR_FILENO) == 1
      && Screen.terminal(size: nil, environment: variables(["TERM"])).canRedraw
  }

  private static func variables(_ names: [String]) -> [String: String] {
    var variables: [String: String] = [:]
    for name in names { variables[name] = getenv(name).map { String(cString: $0) } }
    return variables
  }

  /// Writes a whole text to a file descriptor.
  ///
  /// - Returns: the error code of a failed write; 0 on success.
  private static func write(_ text: String, to file: Int32) -> Int32 {
    write(Array(text.utf8), to: file)
  }

  private static func write(_ bytes: [UInt8], to file: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return errno }
      rest = rest.dropFirst(count)
    }
    return 0
  }
}

extension CommandError {
  /// - Parameter name: the missing member.
  init(lacking name: String) {
    self.init(
      .protocolError, "the service's reply lacks \(name)",
      hint: "update chimectl or chimed: their versions may differ")
  }
}

import CivilTime
import Glibc
import JSON

/// The terminal, or what stands in its place.
package enum Console {
  static func printError(_ text: String) {
    _ = write(text, to: STDERR_FILENO)
  }

  /// Prints what a command is for. If it cannot be written the program ends, for whoever asked
  /// for it must not take it for complete; but it says nothing of a reader who has had enough.
  static func printOutput(_ text: String) {
    let code = write(text, to: STDOUT_FILENO)
    if code != 0, code != EPIPE { fail(code) }
  }

  static func printJSON(_ document: JSONValue) {
    printOutput(JSONWriter.prettyPrinted(document) + "\n")
  }

  /// Prints a document as a line among others.
  static func printLine(_ document: JSONValue) {
    printOutput("\(document)\n")
  }

  /// Prints a part of an output without an end. It ends when its reader has gone, as head does when
  /// it has had enough.
  static func passOn(_ text: String) { passOn(Array(text.utf8)) }

  /// The same.
  package static func passOn(_ bytes: [UInt8]) {
    let code = write(bytes, to: STDOUT_FILENO)
    if code == EPIPE { _exit(0) }
    if code != 0 { fail(code) }
  }

  private static func fail(_ code: Int32) -> Never {
    let reason = String(cString: strerror(code))
    printError(Failure(.inputOutput, "standard output cannot be written: \(reason)").text)
    exit(Failure.Code.inputOutput.rawValue)
  }

  /// What standard output is shown on, as it is now: its size may change.
  static var screen: Screen {
    guard isatty(STDOUT_FILENO) == 1 else { return .paper }
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return .terminal(
      size: isKnown ? (Int(size.ws_col), Int(size.ws_row)) : nil,
      environment: variables(["TERM", "NO_COLOR"]))
  }

  /// The same.
  ///
  /// - Parameter isFull: whether nothing is to be laid out for its width.
  package static func screen(isFull: Bool) -> Screen {
    var screen = screen
    if isFull { screen.width = nil }
    return screen
  }

  /// The variables of the environment that have a bearing on where the service is.
  static var environment: [String: String] {
    variables(["CHIMED_SOCKET", "CHIMED_URL", "CHIMED_TOKEN", "XDG_RUNTIME_DIR"])
  }

  /// Whether standard error is a terminal on which a line can be written over.
  package static var showsProgress: Bool {
    isatty(STDERR_FILENO) == 1
      && Screen.terminal(size: nil, environment: variables(["TERM"])).canRedraw
  }

  private static func variables(_ names: [String]) -> [String: String] {
    var variables: [String: String] = [:]
    for name in names { variables[name] = getenv(name).map { String(cString: $0) } }
    return variables
  }

  /// Writes all of it.
  ///
  /// - Returns: the code of the error that kept it from that; 0 if there was none.
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

extension Failure {
  init(lacking name: String) {
    self.init(
      .protocolError, "the service's answer lacks \(name)",
      hint: "chimectl and chimed may be of different versions")
  }
}

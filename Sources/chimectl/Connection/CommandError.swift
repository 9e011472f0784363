import ArgumentParser
import JSON

/// Why a command failed, as a message for the terminal.
struct CommandError: Error, Equatable {
  /// Exit codes of sysexits.h.
  enum Code: Int32 {
    case usage = 64
    /// The given data is invalid.
    case data = 65
    /// The named thing does not exist or cannot be read.
    case noInput = 66
    case unavailable = 69
    /// The service had an internal error.
    case software = 70
    case cannotCreate = 73
    case inputOutput = 74
    /// The command may succeed later.
    case temporary = 75
    case protocolError = 76
    case noPermission = 77
    /// The service's configuration is invalid.
    case configuration = 78
  }

  let code: Code
  let message: String
  /// What to do, unless it is obvious.
  let hint: String?

  init(_ code: Code, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// Whether the failure ends when the service is available again.
  var isTemporary: Bool { code == .unavailable || code == .temporary }

  /// The text for standard error. Further lines of a message, such as those of a rejected reload,
  /// are indented, so that none looks like a hint.
  var text: String {
    let lines = message.split(separator: "\n").map { String($0).printable }
    return "error: \(lines.joined(separator: "\n  "))\n"
      + (hint.map { "hint: \($0.printable)\n" } ?? "")
  }
}

extension AsyncParsableCommand {
  /// Runs a command's work with the given layout of standard output. Prints a `CommandError`, whose
  /// code becomes the exit code.
  func reporting(
    _ layout: LayoutOptions? = nil, _ work: () async throws -> Void
  ) async throws {
    let screen = Console.screen(isFull: layout?.full == true)
    do {
      try await Screen.$current.withValue(screen) { try await work() }
    } catch let failure as CommandError {
      Console.printError(failure.text)
      throw ExitCode(failure.code.rawValue)
    }
  }
}

extension CommandError {
  /// Converts a refusal by the service.
  ///
  /// - Parameter problem: the problem document (RFC 9457); nil if the reply has none.
  init(status: Int, problem: JSONValue?) {
    self.init(
      status: status, type: problem?["type"]?.stringValue ?? "",
      detail: problem?["detail"]?.stringValue ?? "the service answered \(status)")
  }

  private init(status: Int, type: String, detail original: String) {
    let detail = Self.withCommands(original)
    let code = Self.code(status, type)
    guard let split = Self.split(detail) else {
      // A message about token scopes already names the permitted scopes.
      self.init(code, detail, hint: detail.contains("the scope ") ? nil : Self.hint(type))
      return
    }
    self.init(code, split.message, hint: split.hint)
  }

  /// Returns a message of the service with commands and options in place of paths and parameters.
  static func withCommands(_ text: String) -> String {
    commands.reduce(text) { $0.replacing($1.path, with: $1.command) }
  }

  /// The commands to show instead of the paths in the service's messages.
  private static let commands: [(path: String, command: String)] = [
    ("GET /v1/tokens", "chimectl token list"), ("GET /v1/deadletters", "chimectl deadletters list"),
    ("GET /v1/status lists them under lanes", "chimectl sinks lists them"),
    ("read /notifications for past ones", "see chimectl notifications"),
    ("add ?recipient=ID", "name the recipient"), ("(allDay)", "(--all-day)"),
    ("(ignoreAlarms)", "(--ignore-alarms)"),
  ]

  /// Returns the exit code for a refusal with an HTTP status.
  ///
  /// - Parameter type: the URN of the problem's type.
  static func code(_ status: Int, _ type: String?) -> Code {
    switch status {
    case 401, 403: .noPermission
    case 404, 410: .noInput
    case 408, 429, 503, 507: .temporary
    case 500: .software
    case 501...: .unavailable
    default: type == "urn:chimed:problem:reload-rejected" ? .configuration : .data
    }
  }

  /// Splits off a question at the end of a message, "; did you mean …?", as the hint.
  private static func split(_ detail: String) -> (message: String, hint: String)? {
    let separator = "; did you mean "
    guard let start = detail.firstRange(of: separator) else { return nil }
    return (String(detail[..<start.lowerBound]), "did you mean " + detail[start.upperBound...])
  }

  private static func hint(_ type: String?) -> String? {
    switch type {
    case "urn:chimed:problem:forbidden":
      "run it as root, as the service's user or as a member of its group"
    case "urn:chimed:problem:unknown-recipient":
      "chimectl event recipient.updated --recipient ID timezone=Europe/Paris"
    case "urn:chimed:problem:conflicting-event":
      "give the event another --id; an id identifies one event of its source forever"
    case "urn:chimed:problem:too-much-waiting":
      "chimectl pending shows the recipient's pending reminders"
    case "urn:chimed:problem:storage-full":
      "free space on the disk of the service's state directory"
    default: nil
    }
  }
}

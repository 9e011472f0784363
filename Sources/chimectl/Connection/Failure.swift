import ArgumentParser
import ChimedClient
import JSON

/// Why a command could not do what it was asked for, as the person at the terminal is told.
struct Failure: Error, Equatable {
  /// As sysexits.h has them.
  enum Code: Int32 {
    case usage = 64
    /// What was given is not acceptable.
    case data = 65
    /// What was named is not there, or cannot be read.
    case noInput = 66
    case unavailable = 69
    /// The service made a mistake.
    case software = 70
    case cannotCreate = 73
    case inputOutput = 74
    /// The same may go well later.
    case temporary = 75
    case protocolError = 76
    case noPermission = 77
    /// The service's configuration is not sound.
    case configuration = 78
  }

  let code: Code
  let message: String
  /// What to do about it, where that is not plain.
  let hint: String?

  init(_ code: Code, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// Whether it is over when the service is there again.
  var isPassing: Bool { code == .unavailable || code == .temporary }

  /// What is printed to standard error.
  var text: String {
    "error: \(message.printable)\n" + (hint.map { "hint: \($0.printable)\n" } ?? "")
  }
}

extension AsyncParsableCommand {
  /// Runs a command's work for what standard output is shown on; a failure is printed and becomes
  /// the exit code.
  func reporting(
    _ layout: LayoutOptions? = nil, _ work: () async throws -> Void
  ) async throws {
    let screen = Console.screen(isFull: layout?.full == true)
    do {
      try await Screen.$current.withValue(screen) { try await work() }
    } catch let failure as Failure {
      Console.printError(failure.text)
      throw ExitCode(failure.code.rawValue)
    }
  }
}

extension Failure {
  /// The failure behind a problem document of the service (RFC 9457).
  init(_ problem: ChimedProblem) {
    self.init(status: problem.status, type: problem.type, detail: problem.detail)
  }

  /// The same for one that is part of an answer.
  init(status: Int, problem: JSONValue?) {
    self.init(
      status: status, type: problem?["type"]?.stringValue ?? "",
      detail: problem?["detail"]?.stringValue ?? "the service answered \(status)")
  }

  private init(status: Int, type: String, detail told: String) {
    let detail = Self.commands.reduce(told) { $0.replacing($1.path, with: $1.command) }
    let code = Self.code(status, type)
    guard let split = Self.split(detail) else {
      // Who may is said already where scopes of tokens are.
      self.init(code, detail, hint: detail.contains("the scope ") ? nil : Self.hint(type))
      return
    }
    self.init(code, split.message, hint: split.hint)
  }

  /// The service speaks of paths; who is at a terminal has commands.
  private static let commands: [(path: String, command: String)] = [
    ("GET /v1/tokens", "chimectl token list"), ("GET /v1/deadletters", "chimectl deadletters list"),
    ("GET /v1/status lists them under lanes", "chimectl sinks lists them"),
    ("read /notifications for what there was", "see what there was by chimectl notifications"),
    ("add ?recipient=ID", "name the recipient"),
  ]

  private static func code(_ status: Int, _ type: String?) -> Code {
    switch status {
    case 401, 403: .noPermission
    case 404, 410: .noInput
    case 408, 429, 503, 507: .temporary
    case 500: .software
    case 501...: .unavailable
    default: type == "urn:chimed:problem:reload-rejected" ? .configuration : .data
    }
  }

  /// A question at the end of a sentence, "; did you mean …?", is a hint.
  private static func split(_ detail: String) -> (message: String, hint: String)? {
    let mark = "; did you mean "
    guard let start = detail.firstRange(of: mark) else { return nil }
    return (String(detail[..<start.lowerBound]), "did you mean " + detail[start.upperBound...])
  }

  private static func hint(_ type: String?) -> String? {
    switch type {
    case "urn:chimed:problem:forbidden":
      "be root, the service's user or a member of its group"
    case "urn:chimed:problem:unknown-recipient":
      "chimectl event recipient.updated --recipient ID timezone=Europe/Paris"
    case "urn:chimed:problem:conflicting-event":
      "give the event another --id; an id stands for one event of its source for ever"
    case "urn:chimed:problem:too-much-waiting":
      "chimectl pending shows what waits for the recipient"
    case "urn:chimed:problem:storage-full":
      "make room on the disk that holds the service's state"
    default: nil
    }
  }
}

import ArgumentParser

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

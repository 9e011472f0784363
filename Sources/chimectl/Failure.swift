import ArgumentParser

/// Why a command could not do what it was asked for, as the person at the terminal is told.
struct Failure: Error, Equatable {
  /// As sysexits.h has them.
  enum Code: Int32 {
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
    case inputOutput = 74
    case protocolError = 76
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

  /// What is printed to standard error.
  var text: String {
    "error: \(message.printable)\n" + (hint.map { "hint: \($0.printable)\n" } ?? "")
  }
}

extension AsyncParsableCommand {
  /// Runs a command's work; a failure is printed and becomes the exit code.
  func reporting(_ work: () async throws -> Void) async throws {
    do {
      try await work()
    } catch let failure as Failure {
      Console.printError(failure.text)
      throw ExitCode(failure.code.rawValue)
    }
  }
}

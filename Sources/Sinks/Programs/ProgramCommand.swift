import Glibc
package import Outbox
import Reminders

/// A program and what it is started with: all of it stands in the configuration, and nothing of it
/// comes from a delivery.
package struct ProgramCommand: Hashable, Sendable {
  package static let keys = ["command", "environment", "memory"]
  package static let requiredKeys = ["command"]

  /// The program's path and its arguments.
  package let arguments: [String]
  /// `NAME=VALUE`, or `NAME` alone for what the service itself has under that name.
  package let environment: [String]
  /// Bytes of address space that each process of it may have; nil is no limit.
  package let memory: Int64?

  package var path: String { arguments[0] }

  package init(_ path: String, _ arguments: [String] = [], environment: [String] = []) {
    self.arguments = [path] + arguments
    self.environment = environment
    memory = nil
  }

  package init?(reading settings: inout SinkSettings) {
    arguments = settings.texts("command")
    environment = settings.texts("environment")
    memory = settings.bytes("memory", in: 1_000_000...1_000_000_000_000)
    guard let path = arguments.first else {
      settings.refuse("command", "must be the program's path, or a list of it and its arguments")
      return nil
    }
    guard path.hasPrefix("/") else {
      settings.refuse("command", "must begin with a path that begins with \"/\"")
      return nil
    }
    let texts = arguments + environment
    if texts.contains(where: { $0.utf8.contains(0) }) {
      settings.refuse("command", "and environment may not hold a zero character")
    }
    for entry in environment where !Self.isEnvironment(entry) {
      settings.refuse("environment", "has \"\(entry)\"; an entry is NAME=VALUE or NAME")
    }
  }

  private static func isEnvironment(_ entry: String) -> Bool {
    let name = entry.prefix { $0 != "=" }
    return !name.isEmpty
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
  }

  /// Whether the program is there and may be run.
  package func check() throws(UnusablePath) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw UnusablePath(path, "cannot be started: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
      throw UnusablePath(path, "is no program that the service may run")
    }
  }

  /// The whole environment of the program: nothing of the service's own goes along unless it is
  /// asked for, least of all what its manager has given it.
  ///
  /// - Parameter own: the service's.
  package func environment(
    from own: [String: String], adding more: [String] = []
  ) -> [String] {
    var values = [
      "PATH": own["PATH"] ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      "LANG": own["LANG"] ?? "C.UTF-8",
    ]
    for entry in environment + more {
      let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      values[name] = parts.count == 2 ? String(parts[1]) : own[name]
    }
    return values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }
}

/// Documents for a thread that has programs, and what is done with its answer.
struct ProgramOrder: Sendable {
  let documents: [any Document]
  /// Where the answers are said one by one, if somebody wants to know.
  let progress: BatchProgress?
  let answer: @Sendable (Result<[SinkAnswer], SinkOutage>) -> Void
}

extension ProgramThread {
  /// Hands documents over and waits for the answer.
  func ask(
    _ documents: [any Document], _ progress: BatchProgress? = nil
  ) async -> Result<[SinkAnswer], SinkOutage> {
    await withCheckedContinuation { continuation in
      let order = ProgramOrder(documents: documents, progress: progress) {
        continuation.resume(returning: $0)
      }
      if !post(order) {
        continuation.resume(returning: .failure(SinkOutage("the service is stopping")))
      }
    }
  }
}

/// How a program came to its end.
package enum ProgramEnding: Hashable, Sendable, CustomStringConvertible {
  case exited(Int32)
  case killed(signal: Int32)
  /// Somebody else has taken the end of a child that is not theirs.
  case unknown

  package var description: String {
    switch self {
    case .exited(let code): "exit \(code)"
    case .killed(let signal): "signal \(signal)"
    case .unknown: "an unknown end"
    }
  }

  /// What it means for the delivery that the program was started for, by sysexits(3).
  ///
  /// What is wrong with the delivery itself will be wrong the next time too: bad data (65), an
  /// addressee (67) or a host (68) that does not exist, something that is not permitted (77). All
  /// else may have passed by then, or a person has mended it.
  package var verdict: SinkAnswer.Verdict {
    switch self {
    case .exited(0): .delivered
    case .exited(let code):
      if let meaning = Self.refusals[code] {
        .rejected(reason: "\(self): \(meaning)")
      } else {
        .retry(after: nil, reason: "\(self): " + (Self.failures[code] ?? "it failed"))
      }
    case .killed(let signal):
      .retry(after: nil, reason: "\(self): killed by \(String(cString: strsignal(signal)))")
    case .unknown: .retry(after: nil, reason: "how the program ended is not known")
    }
  }

  private static let refusals: [Int32: String] = [
    65: "it could do nothing with the data", 67: "there is no such addressee",
    68: "there is no such host", 77: "it is not permitted",
  ]

  private static let failures: [Int32: String] = [
    64: "it was not used as it has to be", 66: "an input was missing",
    69: "a service was not available", 70: "it has an error", 71: "the system failed",
    72: "a file of the system was missing", 73: "it could not create a file",
    74: "reading or writing failed", 75: "for the time being it could not",
    76: "the other side did not keep to the protocol", 78: "its configuration is wrong",
    126: "a command could not be run", 127: "a command was not found",
  ]
}

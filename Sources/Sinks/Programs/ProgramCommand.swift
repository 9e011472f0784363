import Glibc
package import Outbox
package import Reminders

/// A program with its arguments and environment. All of these come from the configuration, never
/// from a delivery.
package struct ProgramCommand: Hashable, Sendable {
  package static let keys: [KeyDescription] = [
    .required("command", .oneOrMany(.text), "The program and its arguments."),
    .optional("environment", .oneOrMany(.text), "Variables as NAME=VALUE, or NAME alone."),
    .optional("memory", .text, "The maximum address space of a process, such as 500MB."),
  ]

  /// The program's path and its arguments.
  package let arguments: [String]
  /// Entries `NAME=VALUE`, or `NAME` alone to pass on the service's own variable.
  package let environment: [String]
  /// The maximum address space of each of the program's processes, in bytes; nil for no limit.
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
      settings.refuse("command", "must be the program's path, or a list of that and the arguments")
      return nil
    }
    guard path.hasPrefix("/") else {
      settings.refuse("command", "must begin with an absolute path, which begins with \"/\"")
      return nil
    }
    let texts = arguments + environment
    if texts.contains(where: { $0.utf8.contains(0) }) {
      settings.refuse("command", "and environment must not contain a zero character")
    }
    for entry in environment where !Self.isEnvironmentEntry(entry) {
      settings.refuse("environment", "has \"\(entry)\"; an entry is NAME=VALUE or NAME")
    }
  }

  private static func isEnvironmentEntry(_ entry: String) -> Bool {
    let name = entry.prefix { $0 != "=" }
    return !name.isEmpty
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
  }

  /// Checks that the program exists and may be executed.
  package func check() throws(UnusablePathError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw UnusablePathError(path, "cannot be started: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
      throw UnusablePathError(path, "is not a program that the service may run")
    }
  }

  /// Returns the complete environment of the program. Apart from PATH and LANG, variables of the
  /// service are passed on only if the configuration names them. So the variables that the service
  /// manager sets stay private.
  ///
  /// - Parameter inherited: the service's environment.
  package func environment(
    from inherited: [String: String], adding additional: [String] = []
  ) -> [String] {
    var values = [
      "PATH": inherited["PATH"] ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      "LANG": inherited["LANG"] ?? "C.UTF-8",
    ]
    for entry in environment + additional {
      let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      values[name] = parts.count == 2 ? String(parts[1]) : inherited[name]
    }
    return values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }
}

/// Documents for a thread that runs programs, and the callback for the result.
struct ProgramJob: Sendable {
  let documents: [any Document]
  /// Receives the answers one by one; nil if they are not needed early.
  let progress: BatchProgress?
  /// Called once, with an answer for each document or with an outage.
  let answer: @Sendable (Result<[SinkAnswer], SinkOutage>) -> Void
}

extension ProgramThread {
  /// Sends documents to the programs and waits for the result.
  func answers(
    to documents: [any Document], _ progress: BatchProgress? = nil
  ) async -> Result<[SinkAnswer], SinkOutage> {
    await withCheckedContinuation { continuation in
      let job = ProgramJob(documents: documents, progress: progress) {
        continuation.resume(returning: $0)
      }
      if !post(job) {
        continuation.resume(returning: .failure(SinkOutage("the service is stopping")))
      }
    }
  }
}

/// How a program ended.
package enum ProgramEnding: Hashable, Sendable, CustomStringConvertible {
  case exited(Int32)
  case killed(signal: Int32)
  /// Another part of the process has reaped the child.
  case unknown

  package var description: String {
    switch self {
    case .exited(let code): "exit \(code)"
    case .killed(let signal): "signal \(signal)"
    case .unknown: "an unknown end"
    }
  }

  /// The verdict on the delivery that the program was started for, by sysexits(3).
  ///
  /// Faults of the delivery itself are permanent: bad data (65), an addressee (67) or a host (68)
  /// that does not exist, a missing permission (77). Other failures may end by themselves or
  /// be repaired, so they are retried.
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
      .retry(after: nil, reason: "\(self): \(String(cString: strsignal(signal)))")
    case .unknown: .retry(after: nil, reason: "the exit status is unknown")
    }
  }

  /// The meanings of the exit statuses that reject a delivery.
  private static let refusals: [Int32: String] = [
    65: "the data is invalid", 67: "the addressee does not exist",
    68: "the host does not exist", 77: "it is not permitted",
  ]

  /// The meanings of exit statuses after which a delivery is retried.
  private static let failures: [Int32: String] = [
    64: "wrong usage", 66: "an input is missing",
    69: "a service is unavailable", 70: "internal error", 71: "operating system error",
    72: "a system file is missing", 73: "a file could not be created",
    74: "reading or writing failed", 75: "temporary failure",
    76: "protocol error of the remote", 78: "its configuration is wrong",
    126: "a command could not be run", 127: "a command was not found",
  ]
}

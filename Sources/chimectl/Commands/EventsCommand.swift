import API
import ArgumentParser
import Glibc
import JSON

/// Reports many events.
struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Report the events in a file, one JSON object a line.",
    discussion: """
      Rejected lines are listed on standard error; the others are accepted. After an \
      interruption send the same file again: an event is stored only once. With --json each \
      reply of the service is a line of standard output, with the line number in the file. The \
      exit code is 65 if lines were rejected, or 75 if all of these can be accepted later.
      """)

  @Argument(help: "The file; - is standard input.")
  var file: String

  @Flag(help: "Print the service's reply to each event as a line of JSON.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await reporting {
      let source = try LineSource(file: file)
      var tally = IntakeTally()
      let progress = Progress(isShown: !json && Console.showsProgress)
      try await connection.withClient { client in
        while let group = try source.next() {
          let answers = try await client.send(lines: group.bytes)
          if json {
            let numbered = IntakeTally.numbered(answers, from: group.firstLine)
            Console.printOutput(numbered.map { "\($0)\n" }.joined())
          }
          let refusals = try tally.add(answers, from: group.firstLine)
          if !json, !refusals.isEmpty {
            progress.clear()
            Console.printError(refusals)
          }
          progress.show(source.progress + tally.text)
        }
      }
      progress.clear()
      if !json { Console.printOutput(tally.text + "\n") }
      if let code = tally.failure { throw ExitCode(code.rawValue) }
    }
  }
}

/// Counts the results of a file's events.
struct IntakeTally {
  private(set) var accepted = 0
  private(set) var duplicate = 0
  private(set) var refused = 0
  /// The number of rejected events that can be accepted later.
  private var postponed = 0

  /// Counts a group of answers.
  ///
  /// - Parameter firstLine: the number of the group's first line in the file.
  /// - Returns: a line of text for each rejected event.
  mutating func add(_ answers: [JSONValue], from firstLine: Int) throws(Failure) -> String {
    var text = ""
    for answer in answers.map({ Answer<EventLinePayload>($0) }) {
      let line = firstLine - 1 + Int(try answer.line)
      switch try answer.receipt.status {
      case "accepted": accepted += 1
      case "duplicate": duplicate += 1
      case "refused":
        refused += 1
        if try answer.receipt.problem?.status == 429 { postponed += 1 }
        text += try Self.refusal(answer.receipt, line)
      default: throw try stop(answer.receipt, line)
      }
    }
    return text
  }

  /// Numbers the replies by the lines of the file instead of the group.
  static func numbered(_ answers: [JSONValue], from firstLine: Int) -> [JSONValue] {
    answers.map { answer in
      guard case .object(var object) = answer, let line = try? Answer<EventLinePayload>(answer).line
      else { return answer }
      object.set(EventLinePayload.self, \.line, .integer(Int64(firstLine) - 1 + line))
      return .object(object)
    }
  }

  /// Nil if no event was rejected.
  var failure: Failure.Code? {
    guard refused > 0 else { return nil }
    return refused == postponed ? .temporary : .data
  }

  var text: String { "accepted \(accepted), duplicate \(duplicate), refused \(refused)" }

  /// "line 3, id e3: data.day must be from 1 to 30; it is 31".
  private static func refusal(
    _ answer: Answer<ReceiptPayload>, _ line: Int
  ) throws(Failure) -> String {
    let identifier = try answer.id.map { ", id \($0)" } ?? ""
    let detail = try answer.problem?.detail ?? "refused"
    return "line \(line)\(identifier): \(detail)".printable + "\n"
  }

  private func stop(
    _ answer: Answer<ReceiptPayload>, _ line: Int
  ) throws(Failure) -> Failure {
    let detail = try answer.problem?.detail ?? "the service stopped"
    return Failure(
      .temporary, "line \(line) and later ones were not accepted: \(detail) (before that: \(text))",
      hint: "send the file again later; an event is stored only once")
  }
}

/// Reads a file in groups of whole lines. A group has all lines available, so that a slow stream is
/// forwarded at once and a large file in large groups.
final class LineSource {
  struct Group {
    var bytes: [UInt8]
    var firstLine: Int
  }

  /// The service's limit of a line, in bytes.
  private static let longestLine = 1 << 20
  private static let portion = 1 << 18

  private let file: Int32
  private let name: String
  private var rest: [UInt8] = []
  private var line = 1
  private var isAtEnd = false
  private var bytesRead = 0

  /// - Parameter file: a path, or `-` for standard input.
  init(file path: String) throws(Failure) {
    name = path == "-" ? "standard input" : path
    file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw Failure(.noInput, "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    if file != STDIN_FILENO { close(file) }
  }

  /// "45 %: " for a file of known size; otherwise empty.
  var progress: String {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
      return ""
    }
    return "\(min(100, bytesRead * 100 / Int(status.st_size))) %: "
  }

  /// Nil at the end of the file.
  func next() throws(Failure) -> Group? {
    while !isAtEnd {
      let end = try read()
      if let end { return group(upTo: end) }
      guard rest.count <= Self.longestLine else {
        throw Failure(
          .data, "line \(line) of \(name) is longer than \(Self.longestLine) bytes",
          hint: "write each event as a JSON object on one line")
      }
    }
    return rest.isEmpty ? nil : group(upTo: rest.count)
  }

  /// Reads some bytes; returns the end of the last complete line among them.
  private func read() throws(Failure) -> Int? {
    var portion = [UInt8](repeating: 0, count: Self.portion)
    let count = Glibc.read(file, &portion, portion.count)
    guard count >= 0 else {
      if errno == EINTR { return nil }
      throw Failure(.noInput, "\(name) cannot be read: \(String(cString: strerror(errno)))")
    }
    isAtEnd = count == 0
    let previousCount = rest.count
    rest += portion[..<count]
    return rest[previousCount...].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
  }

  private func group(upTo end: Int) -> Group {
    let group = Group(bytes: Array(rest[..<end]), firstLine: line)
    bytesRead += end
    line += group.bytes.count { $0 == UInt8(ascii: "\n") }
    rest.removeSubrange(..<end)
    return group
  }
}

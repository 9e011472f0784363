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
      Lines that are refused are listed on standard error, and the others are taken in. After an \
      interruption the same file may be sent again: no event is taken in twice. With --json each \
      answer of the service is a line of standard output, by the line of the file. The exit code \
      is 65 if lines were refused, or 75 if all of these may be taken in later.
      """)

  @Argument(help: "The file; - is standard input.")
  var file: String

  @Flag(help: "Print the service's answer to each event as JSON, on a line of its own.")
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

/// Counts what became of the events of a file.
struct IntakeTally {
  private(set) var accepted = 0
  private(set) var duplicate = 0
  private(set) var refused = 0
  /// Of those refused, how many may be taken in later.
  private var postponed = 0

  /// Counts a group of answers.
  ///
  /// - Parameter firstLine: the number that the group's first line has in the file.
  /// - Returns: a line for each that was refused.
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

  /// The answers by the lines of the file, not of the group.
  static func numbered(_ answers: [JSONValue], from firstLine: Int) -> [JSONValue] {
    answers.map { answer in
      guard case .object(var object) = answer, let line = try? Answer<EventLinePayload>(answer).line
      else { return answer }
      object.set(EventLinePayload.self, \.line, .integer(Int64(firstLine) - 1 + line))
      return .object(object)
    }
  }

  /// Nil if nothing was refused.
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
      .temporary, "from line \(line) on nothing was taken in: \(detail) (before that: \(text))",
      hint: "send the file again later; no event is taken in twice")
  }
}

/// Reads a file a group of whole lines at a time: as many as are there, so that a stream that
/// trickles is passed on at once and a large file in large groups.
final class LineSource {
  struct Group {
    var bytes: [UInt8]
    var firstLine: Int
  }

  /// The longest line that the service takes.
  private static let longestLine = 1 << 20
  private static let portion = 1 << 18

  private let file: Int32
  private let name: String
  private var rest: [UInt8] = []
  private var line = 1
  private var isAtEnd = false
  private var taken = 0

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

  /// "45 %: ", of a file whose size is known; else nothing.
  var progress: String {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
      return ""
    }
    return "\(min(100, taken * 100 / Int(status.st_size))) %: "
  }

  /// Nil at the end.
  func next() throws(Failure) -> Group? {
    while !isAtEnd {
      let end = try read()
      if let end { return group(upTo: end) }
      guard rest.count <= Self.longestLine else {
        throw Failure(
          .data, "line \(line) of \(name) is longer than \(Self.longestLine) bytes",
          hint: "an event is a JSON object on one line")
      }
    }
    return rest.isEmpty ? nil : group(upTo: rest.count)
  }

  /// Reads some bytes; returns where the last line ends that has its end among them.
  private func read() throws(Failure) -> Int? {
    var portion = [UInt8](repeating: 0, count: Self.portion)
    let count = Glibc.read(file, &portion, portion.count)
    guard count >= 0 else {
      if errno == EINTR { return nil }
      throw Failure(.noInput, "\(name) cannot be read: \(String(cString: strerror(errno)))")
    }
    isAtEnd = count == 0
    let known = rest.count
    rest += portion[..<count]
    return rest[known...].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
  }

  private func group(upTo end: Int) -> Group {
    let group = Group(bytes: Array(rest[..<end]), firstLine: line)
    taken += end
    line += group.bytes.count { $0 == UInt8(ascii: "\n") }
    rest.removeSubrange(..<end)
    return group
  }
}

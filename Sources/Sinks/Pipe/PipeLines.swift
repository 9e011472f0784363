import CivilTime
import JSON
import Outbox
import Systemd

/// Splits a stream of bytes into lines; drops lines that are too long.
struct PipeLines {
  enum Line: Hashable {
    /// The bytes of a line without its end.
    case text([UInt8])
    /// A line above `lengthMax`, whose bytes are dropped.
    case long
  }

  /// The maximum length of a line in bytes.
  static let lengthMax = 64 << 10

  private var partialLine: [UInt8] = []
  /// Whether the current line is above `lengthMax`.
  private var isLong = false

  /// Appends bytes, and returns the lines that they complete.
  mutating func append(_ bytes: ArraySlice<UInt8>) -> [Line] {
    var lines: [Line] = []
    var bytes = bytes
    while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
      buffer(bytes[..<end])
      lines.append(removeLine())
      bytes = bytes[(end + 1)...]
    }
    buffer(bytes)
    return lines
  }

  /// Returns the incomplete last line; nil if there is none.
  mutating func finish() -> Line? {
    partialLine.isEmpty && !isLong ? nil : removeLine()
  }

  private mutating func buffer(_ bytes: ArraySlice<UInt8>) {
    guard !isLong, partialLine.count + bytes.count <= Self.lengthMax else {
      isLong = true
      partialLine = []
      return
    }
    partialLine += bytes
  }

  private mutating func removeLine() -> Line {
    defer {
      partialLine = []
      isLong = false
    }
    if partialLine.last == UInt8(ascii: "\r") { partialLine.removeLast() }
    return isLong ? .long : .text(partialLine)
  }
}

/// Limits how many of a program's lines are logged: at most 100 in 10 s. The others are counted.
struct LineBudget {
  static let linesMax = 100
  static let span = Duration.seconds(10)

  /// When the current span began; nil before the first line.
  private var beginning: MonotonicInstant?
  /// The number of lines in the current span.
  private var count = 0
  /// The number of lines left out since the last report.
  private var leftOut = 0

  enum Decision: Hashable {
    /// The line is logged.
    case pass
    /// The line is logged, and so is the number of lines left out before it.
    case passAfter(leftOut: Int)
    /// The line is only counted.
    case leaveOut
  }

  /// Counts another line, and decides whether it is logged.
  mutating func next(at now: MonotonicInstant) -> Decision {
    if let beginning, beginning.duration(to: now) < Self.span {
      count += 1
      guard count > Self.linesMax else { return .pass }
      leftOut += 1
      return .leaveOut
    }
    defer { leftOut = 0 }
    beginning = now
    count = 1
    return leftOut == 0 ? .pass : .passAfter(leftOut: leftOut)
  }

  /// The number of lines left out since the last report.
  var unreportedCount: Int { leftOut }
}

/// The line by which a program reports the result of a delivery.
struct PipeAnswer: Hashable {
  /// The identifier of the delivery.
  var identifier: String
  var verdict: SinkAnswer.Verdict

  /// The maximum length of a program's reason in characters; the rest is dropped.
  private static let reasonMax = 200
  /// The longest retry delay that a program can request, in seconds.
  private static let waitMax = 30.0 * 86_400

  init(identifier: String, verdict: SinkAnswer.Verdict) {
    self.identifier = identifier
    self.verdict = verdict
  }

  init(_ line: [UInt8]) throws(PipeAnswerError) {
    let document: JSONValue
    do { document = try JSONParser.parse(line) } catch { throw .noJSON(error.description) }
    guard let identifier = document["id"]?.stringValue else { throw .noIdentifier }
    self.identifier = identifier
    verdict = try Self.verdict(of: document)
  }

  private static func verdict(
    of document: JSONValue
  ) throws(PipeAnswerError) -> SinkAnswer.Verdict {
    let text = document["reason"]?.stringValue.map { String($0.prefix(reasonMax)) } ?? ""
    let reason = text.isEmpty ? "the program gave no reason" : text
    switch document["outcome"]?.stringValue {
    case "delivered": return .delivered
    case "rejected": return .rejected(reason: reason)
    case "retry": return .retry(after: try wait(document["after"]), reason: reason)
    default: throw .noOutcome
    }
  }

  /// Returns the requested retry delay; nil if the program requests none.
  private static func wait(_ value: JSONValue?) throws(PipeAnswerError) -> TimeSpan? {
    guard let value, !value.isNull else { return nil }
    guard let seconds = value.numberValue, (0...waitMax).contains(seconds) else { throw .noWait }
    return TimeSpan(milliseconds: Int64(seconds * 1_000))
  }
}

/// A line that is not a valid answer, for the author of the program. The description does not quote
/// the line, which may contain a notification's text.
enum PipeAnswerError: Error, Hashable, CustomStringConvertible {
  case noJSON(String)
  case noIdentifier
  case noOutcome
  case noWait
  case unknown
  case twice
  case long

  var description: String {
    switch self {
    case .noJSON(let reason): "it is not JSON: \(reason)"
    case .noIdentifier: "it has no \"id\" that is a text"
    case .noOutcome: "its \"outcome\" must be delivered, retry or rejected"
    case .noWait: "its \"after\" is not a number of seconds from 0 to 2592000"
    case .unknown: "its \"id\" matches no delivery that waits for an answer"
    case .twice: "its \"id\" is of a delivery that is already answered"
    case .long: "it is longer than \(PipeLines.lengthMax) bytes"
    }
  }
}

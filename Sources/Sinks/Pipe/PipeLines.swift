import CivilTime
import JSON
import Outbox
import Systemd

/// Takes bytes apart into lines, whatever their pieces are; a line too long is left out.
struct PipeLines {
  enum Line: Hashable {
    case text([UInt8])
    case long
  }

  static let lengthMax = 64 << 10

  private var rest: [UInt8] = []
  private var isLong = false

  /// The lines that these bytes bring to their end.
  mutating func take(_ bytes: ArraySlice<UInt8>) -> [Line] {
    var lines: [Line] = []
    var bytes = bytes
    while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
      keep(bytes[..<end])
      lines.append(takeLine())
      bytes = bytes[(end + 1)...]
    }
    keep(bytes)
    return lines
  }

  /// What is left without an end; nil if nothing is.
  mutating func finish() -> Line? {
    rest.isEmpty && !isLong ? nil : takeLine()
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    guard !isLong, rest.count + bytes.count <= Self.lengthMax else {
      isLong = true
      rest = []
      return
    }
    rest += bytes
  }

  private mutating func takeLine() -> Line {
    defer {
      rest = []
      isLong = false
    }
    if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
    return isLong ? .long : .text(rest)
  }
}

/// How many lines of a program are passed on: so many in a while, the others are counted.
struct LineBudget {
  static let linesMax = 100
  static let span = Duration.seconds(10)

  private var beginning: MonotonicInstant?
  private var count = 0
  private var leftOut = 0

  enum Decision: Hashable {
    case pass
    /// Pass this one on, and say how many before it were left out.
    case passAfter(leftOut: Int)
    case leaveOut
  }

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

  /// How many were left out at the end.
  var rest: Int { leftOut }
}

/// A line by which a program says what came of a delivery.
struct PipeAnswer: Hashable {
  var identifier: String
  var verdict: SinkAnswer.Verdict

  /// What is kept of a program's reason, in characters.
  private static let reasonMax = 200
  /// The longest wait that a program can wish for, in seconds.
  private static let waitMax = 30.0 * 86_400

  init(identifier: String, verdict: SinkAnswer.Verdict) {
    self.identifier = identifier
    self.verdict = verdict
  }

  init(_ line: [UInt8]) throws(PipeFault) {
    let value: JSONValue
    do { value = try JSONParser.parse(line) } catch { throw .noJSON(error.description) }
    guard let identifier = value["id"]?.stringValue else { throw .noIdentifier }
    self.identifier = identifier
    verdict = try Self.verdict(of: value)
  }

  private static func verdict(of value: JSONValue) throws(PipeFault) -> SinkAnswer.Verdict {
    let said = value["reason"]?.stringValue.map { String($0.prefix(reasonMax)) } ?? ""
    let reason = said.isEmpty ? "the program gave no reason" : said
    switch value["outcome"]?.stringValue {
    case "delivered": return .delivered
    case "rejected": return .rejected(reason: reason)
    case "retry": return .retry(after: try wait(value["after"]), reason: reason)
    default: throw .noOutcome
    }
  }

  private static func wait(_ value: JSONValue?) throws(PipeFault) -> TimeSpan? {
    guard let value, !value.isNull else { return nil }
    guard let seconds = value.numberValue, (0...waitMax).contains(seconds) else { throw .noWait }
    return TimeSpan(milliseconds: Int64(seconds * 1_000))
  }
}

/// A line that is no answer, for the person who writes the program. It does not show the line,
/// which may hold what a person was told.
enum PipeFault: Error, Hashable, CustomStringConvertible {
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
    case .noOutcome: "its \"outcome\" is none of delivered, retry and rejected"
    case .noWait: "its \"after\" is not a number of seconds from 0 to 2592000"
    case .unknown: "its \"id\" is of no delivery that waits for an answer"
    case .twice: "its \"id\" is of a delivery that was answered before"
    case .long: "it is longer than \(PipeLines.lengthMax) bytes"
    }
  }
}

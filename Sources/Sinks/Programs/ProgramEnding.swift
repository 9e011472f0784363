package import Delivery
import Glibc

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

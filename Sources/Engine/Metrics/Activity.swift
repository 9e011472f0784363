package import CivilTime
import Reminders

/// The recent activity of the service and its sinks, counted in consecutive parts of equal length,
/// oldest first. Activity before the start of the service is not counted.
package struct Activity: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// Accepted events.
    case events
    /// Occurrences that passed the gates.
    case sent
    /// Deliveries that a sink has accepted or that the inbox contains, counted for each channel.
    case delivered
    /// Occurrences with the outcome of the same name.
    case bundled, dropped, held

    init(_ outcome: OccurrenceOutcome) {
      self =
        switch outcome {
        case .sent: .sent
        case .delivered: .delivered
        case .bundled: .bundled
        case .dropped: .dropped
        case .held: .held
        }
    }

    var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The kinds of a sink's answers: deliveries that it accepted, that are tried again, or that it
  /// rejected, and outages.
  package enum SinkKind: String, CaseIterable, Sendable {
    case delivered, retried, rejected, outages

    var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The instant at which the activity was counted, in the last part.
  package var now: Instant
  /// The start of the first part.
  package var first: Instant
  /// The length of a part.
  package var part: TimeSpan
  /// The counts of each kind, one for each part.
  package var service: [Kind: [Int]] = [:]
  /// The counts by the sink's name: a list for each `SinkKind`, with one count for each part.
  package var sinks: [String: [[Int]]] = [:]

  package init(now: Instant, first: Instant, part: TimeSpan) {
    (self.now, self.first, self.part) = (now, first, part)
  }
}

import Synchronization

/// Counts refused uses of the links of actions and to calendars, by reason (rules H28, H29).
final class LinkRefusals: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  /// - Parameter kind: the kind of the problem; kinds are few, so their number needs no limit.
  func count(_ kind: ProblemKind) {
    counts.withLock { $0[kind.rawValue, default: 0] += 1 }
  }

  /// The counts in Prometheus' text format.
  var text: String {
    var writer = MetricsWriter()
    writer.begin(
      "chimed_refused_links_total", .counter,
      "Refused uses of the links of actions and to calendars, by reason.")
    for (reason, count) in counts.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      writer.sample([("reason", reason)], count)
    }
    return writer.text
  }
}

import Synchronization

/// Counts the requests that delivery services send, by outcome and by sink, the adapter to a
/// service.
final class OutcomeCounts<Outcome: RawRepresentable<String> & Hashable & Sendable>: Sendable {
  private struct Key: Hashable {
    let sink: String
    let outcome: Outcome
  }

  private let name: StaticString
  private let help: StaticString
  private let counts = Mutex<[Key: Int]>([:])

  /// - Parameters:
  ///   - name: the name of the metric.
  ///   - help: the description of the metric.
  init(_ name: StaticString, _ help: StaticString) {
    (self.name, self.help) = (name, help)
  }

  func count(_ outcome: Outcome, of sink: String, _ number: Int = 1) {
    guard number > 0 else { return }
    counts.withLock { $0[Key(sink: sink, outcome: outcome), default: 0] += number }
  }

  /// The counts in Prometheus' text format.
  var text: String {
    let counts = counts.withLock { $0 }
    var writer = MetricsWriter()
    writer.begin(name, .counter, help)
    let inOrder = counts.sorted {
      ($0.key.sink, $0.key.outcome.rawValue) < ($1.key.sink, $1.key.outcome.rawValue)
    }
    for (key, count) in inOrder {
      writer.sample([("sink", key.sink), ("outcome", key.outcome.rawValue)], count)
    }
    return writer.text
  }
}

typealias ReceiptCounts = OutcomeCounts<ReceiptOutcome>
typealias ReplyCounts = OutcomeCounts<ReplyOutcome>

/// The outcome of a report that a delivery service has sent.
enum ReceiptOutcome: String, Sendable {
  /// The report was ingested as an event, now or earlier.
  case accepted
  /// The report is about no delivery of the sink.
  case unknown
  /// The request has no valid proof or cannot be read, or the report's event was refused.
  case refused
}

extension ReceiptCounts {
  convenience init() {
    self.init(
      "chimed_receipts_total",
      "Reports of sinks' services about deliveries, by sink and outcome.")
  }
}

extension ReplyCounts {
  convenience init() {
    self.init(
      "chimed_replies_total", "Replies of people to text messages, by sink and outcome.")
  }
}

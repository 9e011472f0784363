import HTTPTypes
import Synchronization

/// Counts responses by status.
final class ResponseCounts: Sendable {
  private let counts = Mutex<[Int: Int]>([:])

  func count(_ status: HTTPResponse.Status) {
    counts.withLock { $0[status.code, default: 0] += 1 }
  }

  /// The counts in Prometheus' text format.
  var text: String {
    let counts = counts.withLock { $0 }
    var writer = MetricsWriter()
    writer.begin(
      "chimed_http_responses_total", .counter, "Responses by status.")
    for (status, count) in counts.sorted(by: { $0.key < $1.key }) {
      writer.sample([("status", "\(status)")], count)
    }
    return writer.text
  }
}

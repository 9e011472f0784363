import HTTPTypes
import Synchronization

/// How many requests were answered, by the status of the answer.
final class ResponseCounts: Sendable {
  private let counts = Mutex<[Int: Int]>([:])

  func count(_ status: HTTPResponse.Status) {
    counts.withLock { $0[status.code, default: 0] += 1 }
  }

  /// As Prometheus reads them.
  var text: String {
    let counts = counts.withLock { $0 }
    var writer = MetricsWriter()
    writer.begin(
      "chimed_http_responses_total", .counter, "Requests that were answered, by status.")
    for (status, count) in counts.sorted(by: { $0.key < $1.key }) {
      writer.sample([("status", "\(status)")], count)
    }
    return writer.text
  }
}

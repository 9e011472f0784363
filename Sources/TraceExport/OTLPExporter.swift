package import CivilTime
package import Engine
import HTTPTransfers
import JSON
import Synchronization

/// Sends spans to an OpenTelemetry collector by OTLP over HTTP, in JSON (rule H25). While a request
/// is in flight, further spans wait for the next request. A batch that the collector does not
/// accept is dropped.
package final class OTLPExporter: SpanExporter {
  private struct State {
    /// The spans that no request has contained yet.
    var waiting: [TraceSpan] = []
    /// Whether a task is sending; the task continues until no spans wait.
    var isSending = false
    var counts = SpanCounts()
    /// Whether the last request failed.
    var isFailing = false
  }

  /// The maximum number of waiting spans. Further spans are dropped.
  package static let waitingMax = 2_048
  /// The maximum number of spans in a request.
  package static let batchMax = 512
  /// The maximum size of an answer in bytes. A collector answers with a short object.
  private static let bodyMax = 4_096

  private let endpoint: String
  private let timeout: Duration
  private let loop: TransferLoop
  private let now: @Sendable () -> Instant
  private let report: @Sendable (_ sentence: String, _ isFailing: Bool) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - endpoint: the URL for traces, with its path.
  ///   - timeout: how long a request may take.
  ///   - now: reads the clock, for the ends of spans.
  ///   - report: receives a sentence when the collector begins to fail, and when that ends.
  /// - Throws: an error if there is not enough memory or no thread can be created.
  package init(
    to endpoint: String, timeout: Duration = .seconds(10),
    now: @escaping @Sendable () -> Instant,
    report: @escaping @Sendable (_ sentence: String, _ isFailing: Bool) -> Void
  ) throws {
    var settings = TransferSettings()
    settings.connectionsMax = 1
    loop = try TransferLoop(settings)
    (self.endpoint, self.timeout, self.now, self.report) = (endpoint, timeout, now, report)
  }

  /// The numbers of exported and dropped spans.
  package var counts: SpanCounts { state.withLock(\.counts) }

  package func export(_ spans: [TraceSpan]) {
    let end = now()
    let isFirst = state.withLock { state in
      let accepted = spans.prefix(Self.waitingMax - state.waiting.count)
      state.waiting += accepted.map { $0.ended(at: end) }
      state.counts.dropped += spans.count - accepted.count
      guard !state.isSending, !state.waiting.isEmpty else { return false }
      state.isSending = true
      return true
    }
    if isFirst { Task(executorPreference: loop) { [self] in await sendAll() } }
  }

  /// Sends until no spans wait.
  private func sendAll() async {
    while let batch = removeBatch() {
      let (dropped, failure) = await send(batch)
      recordResult(batch.count, dropped, failure)
    }
  }

  /// Removes the next spans to send and returns them; nil if none wait.
  private func removeBatch() -> [TraceSpan]? {
    state.withLock { state in
      let batch = Array(state.waiting.prefix(Self.batchMax))
      state.waiting.removeFirst(batch.count)
      state.isSending = !batch.isEmpty
      return batch.isEmpty ? nil : batch
    }
  }

  /// Sends one request.
  ///
  /// - Returns: the number of spans that the collector did not accept, and the reason why the
  ///   request failed. The reason is nil if the collector accepted the request.
  private func send(_ batch: [TraceSpan]) async -> (dropped: Int, failure: String?) {
    var request = TransferRequest("POST", endpoint)
    request.fields = [("Content-Type", "application/json")]
    request.body = OTLPDocument(batch).bytes
    request.timeout = timeout
    let reply = await loop.reply(to: request, bodyMax: Self.bodyMax)
    guard reply.outcome == .whole || reply.isCut, let status = reply.head.status else {
      return (batch.count, "\(reply.outcome)")
    }
    guard (200..<300).contains(status) else {
      return (batch.count, "it answered with the status \(status)")
    }
    return (min(rejected(reply.body), batch.count), nil)
  }

  /// Returns the number of rejected spans in an answer, 0 if it names none. OTLP writes 64-bit
  /// numbers as texts.
  private func rejected(_ body: [UInt8]) -> Int {
    let count = (try? JSONParser.parse(body))?["partialSuccess"]?["rejectedSpans"]?.stringValue
    return max(0, count.flatMap { Int($0) } ?? 0)
  }

  /// Counts the spans of a batch, and reports when the collector begins to fail and when that ends.
  private func recordResult(_ count: Int, _ dropped: Int, _ failure: String?) {
    let hasChanged = state.withLock { state in
      state.counts.exported += count - dropped
      state.counts.dropped += dropped
      defer { state.isFailing = failure != nil }
      return state.isFailing != (failure != nil)
    }
    guard hasChanged else { return }
    report(
      failure.map { "traces are dropped, because the collector does not accept them: \($0)" }
        ?? "the collector accepts traces again", failure != nil)
  }
}

extension TraceSpan {
  /// Returns the span with an end. A span without an end gets the given instant, or its own start
  /// if that is later.
  fileprivate func ended(at instant: Instant) -> TraceSpan {
    var span = self
    span.end = span.end ?? max(start, instant)
    return span
  }
}

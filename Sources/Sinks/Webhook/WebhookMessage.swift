package import CivilTime
internal import JSON
package import Outbox
package import Reminders

/// The message of a webhook: a CloudEvents 1.0 event in structured mode, with the same data as a
/// line of the `jsonl` sink.
package struct WebhookMessage: Sendable {
  /// The id, which is equal for all attempts and contains no dot. A notification on two channels is
  /// two messages.
  package let identifier: String
  package let body: [UInt8]
  /// The trace of the event that caused the delivery; sent as attributes and as headers.
  package let trace: TraceContext?
  /// When the gates passed the delivery, when it was withdrawn, or when the analytics event
  /// happened.
  package let time: Instant

  /// - Parameter source: the event's `source`; nil for `/chimed/` and the name of the store.
  package init(_ delivery: Delivery, source: String?) {
    let source = source ?? "/chimed/\(delivery.instance)"
    guard let withdrawn = WithdrawnDelivery(delivery) else {
      self.init(
        delivery, id: delivery.fullIdentifier, type: "chimed.notification", source: source,
        subject: delivery.recipient, time: delivery.at, trace: delivery.shownMessage.trace)
      return
    }
    self.init(
      withdrawn, id: "\(delivery.fullIdentifier)-withdrawn", type: "chimed.notification.withdrawn",
      source: source, subject: delivery.recipient, time: withdrawn.at,
      trace: delivery.shownMessage.trace)
  }

  package init(_ event: AnalyticsItem, source: String?) {
    self.init(
      event, id: event.identifier, type: "chimed.analytics",
      source: source ?? "/chimed/\(event.instance)", subject: event.record.recipient,
      time: event.record.event.time, trace: nil)
  }

  private init(
    _ data: any Document, id: String, type: String, source: String, subject: String,
    time: Instant, trace: TraceContext?
  ) {
    identifier = id
    self.time = time
    self.trace = trace
    var writer = JSONWriter(reservingCapacity: 1_024)
    writer.beginObject()
    writer.member("specversion", "1.0")
    writer.member("id", id)
    writer.member("source", source)
    writer.member("type", type)
    writer.member("subject", subject)
    writer.member("time", time.description)
    writer.member("datacontenttype", "application/json")
    if let trace {
      writer.member("traceparent", trace.parent)
      if let state = trace.state { writer.member("tracestate", state) }
    }
    writer.key(constant: "data")
    data.write(to: &writer)
    writer.endObject()
    body = writer.removeBytes()
  }
}

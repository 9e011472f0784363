internal import CivilTime
internal import Delivery
internal import JSON
package import Reminders

/// What a webhook says: an event of CloudEvents 1.0 in structured mode, whose data is what a line
/// of the `jsonl` sink holds.
package struct WebhookMessage: Sendable {
  /// The same at every attempt. A notification on two channels is two messages; no dot is in it.
  package let identifier: String
  package let body: [UInt8]
  /// That of the event that the delivery comes from: an attribute of this one, and headers.
  package let trace: TraceContext?

  /// - Parameter source: what the event says it comes from; nil names the store.
  package init(_ delivery: Delivery, source: String?) {
    identifier = "\(delivery.identifier)-\(delivery.channel.name)"
    trace = delivery.caption.trace
    var writer = JSONWriter(reservingCapacity: 1_024)
    writer.beginObject()
    writer.member("specversion", "1.0")
    writer.member("id", identifier)
    writer.member("source", source ?? "/chimed/\(delivery.instance)")
    writer.member("type", "chimed.notification")
    writer.member("subject", delivery.recipient)
    writer.member("time", delivery.at.description)
    writer.member("datacontenttype", "application/json")
    if let trace = delivery.caption.trace {
      writer.member("traceparent", trace.parent)
      if let state = trace.state { writer.member("tracestate", state) }
    }
    writer.key(constant: "data")
    delivery.write(to: &writer)
    writer.endObject()
    body = writer.take()
  }
}

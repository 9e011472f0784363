import CivilTime
import Outbox
import Reminders

/// The id of a span is computed from its content. So a span can name a parent that was exported
/// before a restart, and no id has to be stored.
extension TraceSpan {
  /// The acceptance of an event, from the engine cycle that ingests it.
  init(acceptanceOf event: Event, in trace: TraceContext, at now: Instant) {
    self.init(
      in: trace, as: ["accept", event.source, event.identifier], below: String(trace.span),
      name: "accept", kind: .consumer, start: now, end: nil,
      [
        // The source of an event from a recipient's own token contains the recipient.
        ("cloudevents.event_source", event.source.hasPrefix("recipient:") ? "" : event.source),
        ("cloudevents.event_type", event.type),
      ])
  }

  /// The evaluation of an occurrence.
  ///
  /// - Parameters:
  ///   - row: the recipient's row, because several recipients may share a distributed trace.
  ///   - notification: nil for an occurrence that a gate holds.
  init(
    firing fired: FiredOccurrence, of row: UInt32, _ notification: NotificationID?,
    in trace: TraceContext,
    at now: Instant
  ) {
    let firing = fired.firing
    let step =
      notification.map { ["fire", $0.description] }
      ?? [
        "hold", "\(row)", "\(firing.channelGroup)", fired.message.reminder, "\(firing.key)",
        "\(now)",
      ]
    self.init(
      in: trace, as: step, below: String(trace.span), name: "fire", kind: .inner, start: now,
      end: nil,
      [
        ("chimed.reminder", fired.message.reminder), ("chimed.category", fired.message.category),
        ("chimed.verdict", OccurrenceOutcome(firing.result).rawValue),
        ("chimed.gates", firing.trace.reasons.joined(separator: " ")),
        ("chimed.planned", "\(firing.planned)"),
        ("chimed.notification", notification?.description ?? ""),
      ])
  }

  /// An attempt to transmit a delivery, from the dispatch of its batch to the record of the answer.
  ///
  /// - Parameter verdict: `delivered`, `retry`, `rejected` or `outage`.
  init(
    attempting delivery: Delivery, by sink: String, verdict: String, status: String?,
    in trace: TraceContext, from start: Instant, to end: Instant
  ) {
    self.init(
      in: trace, as: ["attempt", delivery.fullIdentifier, sink, "\(start)"],
      below: Self.identifier(["fire", delivery.identifier], in: trace), name: "deliver",
      kind: .client, start: start, end: end,
      [
        ("chimed.sink", sink), ("chimed.channel", delivery.channel.name),
        ("chimed.verdict", verdict), ("chimed.status", status ?? ""),
        ("chimed.notification", delivery.identifier),
      ], hasFailed: verdict != "delivered")
  }

  /// Creates the span of a step.
  ///
  /// - Parameters:
  ///   - step: the content of which the id of the span is a hash.
  ///   - parent: the id of the parent span.
  ///   - attributes: the attributes of the span; one with an empty value is omitted.
  private init(
    in trace: TraceContext, as step: [String], below parent: String, name: String, kind: Kind,
    start: Instant, end: Instant?, _ attributes: [(name: String, value: String)],
    hasFailed: Bool = false
  ) {
    self.init(
      trace: String(trace.trace), identifier: Self.identifier(step, in: trace), parent: parent,
      name: name, kind: kind, start: start, end: end.map { max(start, $0) },
      attributes: attributes.filter { !$0.value.isEmpty }.map {
        Attribute(name: $0.name, value: $0.value)
      },
      hasFailed: hasFailed)
  }

  /// A hash of a step and its trace (FNV-1a, then the finalizer of SplitMix64), never all zeros.
  private static func identifier(_ step: [String], in trace: TraceContext) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for text in [trace.parent] + step {
      for byte in Array(text.utf8) + [0] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
    let digits = String(max(1, hash ^ (hash >> 31)), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// Remembers the traces (contexts of distributed tracing) of events that may still cause
/// notifications (rule H8).
extension Facts {
  package struct Trace: Hashable, Sendable {
    /// The event's number in the order of arrival.
    package var order: Int64
    package var context: TraceContext
  }

  /// The maximum number of remembered traces, in addition to the traces of pending requests.
  static let tracesMax = 16

  /// Returns the trace of the event with this number in the order of arrival.
  func trace(of order: Int64) -> TraceContext? {
    traces.first { $0.order == order }?.context
  }

  /// Remembers the trace of an event.
  ///
  /// - Parameter order: the event's number in the order of arrival.
  mutating func note(_ context: TraceContext, at order: Int64) {
    let index = traces.firstIndex { $0.order >= order } ?? traces.endIndex
    guard index == traces.endIndex || traces[index].order != order else { return }
    traces.insert(Trace(order: order, context: context), at: index)
    forgetTraces()
  }

  /// Removes the earliest traces beyond `tracesMax`. The traces of pending requests are not counted
  /// and stay.
  private mutating func forgetTraces() {
    guard traces.count > Self.tracesMax else { return }
    Work.count(traces.count)
    let removable = traces.filter { request($0.order) == nil }
    let removedOrders = Set(removable.dropLast(Self.tracesMax).map(\.order))
    traces.removeAll { removedOrders.contains($0.order) }
  }
}

extension PlanningContext {
  /// Returns the trace of the event that caused an occurrence; nil if there is none.
  func trace(of reminder: Reminder, key: Int64) -> TraceContext? {
    guard !facts.traces.isEmpty else { return nil }
    if case .request = reminder.trigger { return facts.trace(of: key) }
    return occurrence(of: reminder, key: key)?.cause.flatMap { facts.trace(of: $0.order) }
  }

  /// Returns the trace of a decided occurrence; for a digest, the trace of its most urgent member
  /// with a trace.
  func trace(of firing: Firing) -> TraceContext? {
    guard !facts.traces.isEmpty else { return nil }
    let members = firing.members.map { ($0.reminder, $0.key) }
    for (symbol, key) in members.isEmpty ? [(firing.reminder, firing.key)] : members {
      if let reminder = catalog.reminder(symbol), let trace = trace(of: reminder, key: key) {
        return trace
      }
    }
    return nil
  }
}

extension Facts.Trace {
  func write(to writer: inout ByteWriter) {
    writer.signed(order)
    writer.text(context.text)
  }

  init(from reader: inout ByteReader) throws(CodingFailure) {
    order = try reader.signed()
    guard let context = TraceContext(text: try reader.text()) else { throw reader.malformed }
    self.context = context
  }
}

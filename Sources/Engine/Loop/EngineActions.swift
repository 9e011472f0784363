package import Outbox
package import Reminders
package import Store

/// The engine's effects on the outside: `EngineShell` performs them, and tests record them.
package protocol EngineActions: Sendable {
  /// Dispatches a batch to a lane's sink; the answer comes back as a request.
  func dispatch(_ deliveries: [Reminders.Delivery], toLane lane: Int)

  /// Dispatches analytics events to a lane's sink; the answer comes back as a request.
  func dispatch(_ events: [AnalyticsItem], toLane lane: Int)

  /// Opens a lane of analytics events, beside the sink's lane of deliveries. Only closing the lane
  /// of deliveries stops the sink.
  func openAnalytics(lane: Int, for sink: any AnalyticsSink, _ limits: SinkLimits)

  /// Opens a lane for a sink.
  func open(lane: Int, for sink: any Sink, _ limits: SinkLimits)

  /// Marks a lane's sink as no longer current. The sink is stopped by `close`, or when the engine
  /// ends.
  func retire(lane: Int)

  /// Closes a lane whose sink has answered everything.
  func close(lane: Int)

  /// Reports notes to the operator.
  func report(_ notes: Notes)

  /// Reports the effects of a change of the tz database.
  func report(_ update: ZoneUpdate)

  /// Reports an event of the outbox, such as an outage of a sink.
  func report(_ note: DeliveryNote)

  /// Reports submissions of apps that were rejected; at least one.
  func report(_ refused: [FinishedSubmission])

  /// Reports the reminders whose occurrences a change of the catalogs has ended; at least one.
  func report(_ ended: [EndedReminder])

  /// Reports the recipients whose planning did not end; at least one.
  func report(_ recipients: [SetAsideRecipient])
}

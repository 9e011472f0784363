package import Delivery
package import Reminders

/// What the engine does to the world; the loop carries it out, a test watches.
package protocol EngineActions: Sendable {
  /// Hands a batch to a lane's sink; the answer comes back as a request.
  func hand(_ deliveries: [Reminders.Delivery], toLane lane: Int)

  /// Begins a lane: what is handed to it goes to its sink.
  func open(lane: Int, for sink: any Sink, _ limits: SinkLimits)

  /// Ends a lane whose sink has answered for all that it had.
  func close(lane: Int)

  /// Tells the operator what happened.
  func report(_ notes: Notes)

  /// Tells the operator what a change of the tz database came to.
  func report(_ update: ZoneUpdate)

  func report(_ note: DeliveryNote)
}

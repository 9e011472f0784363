/// An event as it has arrived.
package struct Arrival: Sendable {
  package let event: Event
  /// Its place in the order of arrival.
  package let order: Int64
  /// See `Facts.fold`.
  package let withdrawn: Int64?
  /// What a command is about, where that was settled when it came; nil if it is to be looked up.
  package internal(set) var target: Occurrence?

  package init(_ event: Event, order: Int64, withdrawn: Int64? = nil) {
    self.event = event
    self.order = order
    self.withdrawn = withdrawn
  }

  package var stamp: Stamp { Stamp(time: event.time, order: order) }
}

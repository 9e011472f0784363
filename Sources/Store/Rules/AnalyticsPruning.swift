package import CivilTime

/// Decides which analytics events are old enough to remove (rule H7).
package struct AnalyticsPruning: Sendable {
  private let age: Age
  private let cursor: Int64?

  /// - Parameter cursor: the lowest cursor of the routes; nil while there is none.
  package init(by age: Age, answeredThrough cursor: Int64?) {
    (self.age, self.cursor) = (age, cursor)
  }

  /// Returns whether an event is removed. An event that a sink has not answered is kept twice as
  /// long. This limit bounds the store even if the sink never accepts events again.
  package func removes(_ number: Int64, of time: Instant) -> Bool {
    guard let cursor, number > cursor else { return age.isOld(time) }
    return time < age.end - (age.now - age.end)
  }

  /// Decides which of the events to remove.
  ///
  /// - Parameter events: the events in the order in which they were written.
  /// - Returns: the events to remove, and the event after which the next step continues. That event
  ///   is nil if no later events are old enough.
  package func step(
    over events: [(number: Int64, time: Instant)]
  ) -> (removable: [(number: Int64, time: Instant)], cursor: Int64?) {
    let examined = events.prefix(age.examinedCount(of: events.map(\.time)))
    let mayContinue = examined.count == events.count
    let removable = examined.filter { removes($0.number, of: $0.time) }
    return (removable, mayContinue ? examined.last?.number : nil)
  }
}

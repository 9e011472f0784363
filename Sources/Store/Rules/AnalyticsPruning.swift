package import CivilTime

/// Which analytics events go, for they are old (rule H7).
package struct AnalyticsPruning: Sendable {
  private let age: Age
  private let place: Int64?

  /// - Parameter place: up to where the sink of their route has taken them; nil while they have
  ///   none.
  package init(by age: Age, taken place: Int64?) {
    (self.age, self.place) = (age, place)
  }

  /// One that is still to be taken stays for as long again, and no longer: a sink that is away for
  /// good does not let the store grow for good.
  package func removes(_ number: Int64, of time: Instant) -> Bool {
    guard let place, number > place else { return age.isOld(time) }
    return time < age.end - (age.now - age.end)
  }

  /// How far a step goes over events, and which of them it removes.
  ///
  /// - Parameter events: in the order in which they were written.
  /// - Returns: those that go, and the one to go on behind; nil when nothing more is old enough.
  package func step(
    over events: [(number: Int64, time: Instant)]
  ) -> (gone: [(number: Int64, time: Instant)], place: Int64?) {
    let reached = events.prefix(age.reach(of: events.map(\.time)))
    let isWhole = reached.count == events.count
    let gone = reached.filter { removes($0.number, of: $0.time) }
    return (gone, isWhole ? reached.last?.number : nil)
  }
}

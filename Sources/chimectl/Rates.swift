/// How much the service did between two looks at what it has counted.
struct Rates {
  /// Of one sink, a second.
  struct Lane {
    let sink: String
    let delivered: Double
    let retried: Double
    let rejected: Double
    let outages: Double
  }

  /// How many seconds lay between the two.
  let seconds: Double
  /// Events taken in, a second.
  let accepted: Double
  /// Events refused or not looked at, a second.
  let turnedAway: Double
  /// How late those were who had their turn in between.
  let lateness: LatenessCounts
  /// As the later one has them.
  let lanes: [Lane]

  /// Deliveries that sinks took, a second.
  var delivered: Double { lanes.reduce(0) { $0 + $1.delivered } }

  /// - Parameter elapsed: how long it was from the one to the other by a clock that nobody sets. A
  ///   service that was started in between has counted from nothing.
  init(from earlier: StatusDocument, to later: StatusDocument, elapsed: Duration) {
    let seconds = max(elapsed / .seconds(1), .leastNormalMagnitude)
    let isSameStart = earlier.started == later.started
    func rate(_ after: Int64, _ before: Int64?) -> Double {
      Double(after - (isSameStart ? before ?? 0 : 0)) / seconds
    }
    self.seconds = seconds
    accepted = rate(later.events.accepted, earlier.events.accepted)
    turnedAway = rate(later.events.turnedAway, earlier.events.turnedAway)
    lateness = isSameStart ? later.lateness.since(earlier.lateness) : later.lateness
    lanes = later.lanes.map { lane in
      let (after, before) = (lane.answers, earlier.lanes.first { $0.sink == lane.sink }?.answers)
      return Lane(
        sink: lane.sink, delivered: rate(after.delivered, before?.delivered),
        retried: rate(after.retried, before?.retried),
        rejected: rate(after.rejected, before?.rejected),
        outages: rate(after.outages, before?.outages))
    }
  }
}

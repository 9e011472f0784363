import CivilTime
import Delivery
import Reminders
import Store
import TimerWheel

extension EngineCore {
  /// Fills the wheel from the store. If the schedules were planned with another catalog, default
  /// zone or tz database, every recipient is planned anew at once.
  func load(sinks: [any Sink], now: Instant) throws(StoreError) {
    let plan = planner.fingerprint
    try store.transaction { transaction in
      tokens.keep(try transaction.tokens())
      try checkClock(now, in: transaction)
      let isPlanCurrent = try transaction.note("plan") == plan
      try transaction.forEachSchedule { row, outlook in
        recipients += 1
        pending += outlook.pending
        reserve(row)
        if !isPlanCurrent {
          stale.append(row)
        } else if let due = outlook.due {
          timers[Int(row)] = wheel.insert(deadline: due.milliseconds, payload: row)
        }
      }
      if !isPlanCurrent {
        try keep(planner, isDone: recipients == 0, in: transaction)
        try keepPlanStart(now, in: transaction)
      }
      for name in sinks.map(\.name) { lanes.append(try lane(of: name, sinks, in: transaction)) }
    }
  }

  /// A sink that is new takes over from those that are gone; the first one begins at the beginning,
  /// and one that is added to others with what comes from now on.
  private func lane(
    of name: String, _ sinks: [any Sink], in transaction: StoreTransaction
  ) throws -> LaneState {
    let places = try transaction.places()
    let last = transaction.lastNotification
    let gone = places.keys.filter { known in !sinks.contains { $0.name == known } }
    let inherited = gone.compactMap { places[$0] }.min()
    let place = places[name] ?? inherited ?? (places.isEmpty ? 0 : last)
    if places[name] == nil {
      try transaction.savePlace(of: name, through: place)
      for other in gone { try transaction.retire(sink: other, inFavourOf: name) }
    }
    var state = LaneState(lane: Lane(sink: name, place: place, last: last))
    state.nextRetry = try transaction.nextRetry(of: name)
    return state
  }

  /// Notes what the schedules are planned with once all of them are: a restart before that has to
  /// plan them anew.
  func keep(_ planner: Planner, isDone: Bool, in transaction: StoreTransaction) throws {
    try transaction.saveNote("plan", isDone ? planner.fingerprint : "")
  }

  func reserve(_ row: UInt32) {
    while timers.count <= Int(row) { timers.append(nil) }
  }
}

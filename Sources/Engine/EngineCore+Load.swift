import CivilTime
import Delivery
import Reminders
import Store
import TimerWheel

extension EngineCore {
  /// Fills the wheel from the store. If the schedules were planned with another catalog, default
  /// zone or tz database, every recipient is planned anew at once.
  func load(
    sinks: [any Sink], _ limits: [String: SinkLimits], now: Instant
  ) throws(StoreError) {
    let plan = planner.fingerprint
    try store.transaction { transaction in
      tokens.keep(try transaction.tokens())
      try checkClock(now, in: transaction)
      let isPlanCurrent = try transaction.note("plan") == plan
      try transaction.forEachSchedule { row, outlook in
        recipients += 1
        pending += outlook.pending
        reserve(row)
        if !isPlanCurrent || rewind != nil {
          stale.append(row)
        } else if let due = outlook.due {
          timers[Int(row)] = wheel.insert(deadline: due.milliseconds, payload: row)
        }
      }
      if !isPlanCurrent {
        try keep(planner, isDone: recipients == 0, in: transaction)
        try keepPlanStart(now, in: transaction)
      }
      try loadLanes(of: sinks, limits, now: now, in: transaction)
    }
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

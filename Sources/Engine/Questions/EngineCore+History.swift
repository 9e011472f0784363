import CivilTime
import Store

extension EngineCore {
  /// Records that planning has other inputs from `now` on.
  func keepPlanStart(_ now: Instant, in transaction: any StoreWriter) throws {
    try transaction.saveNote(PlanNotes.since, "\(now.milliseconds)")
  }
}

/// Keys of the store's notes about planning.
enum PlanNotes {
  /// The start of planning with the current inputs, for all recipients.
  static let since = "plan since"
}

import Reminders
import Store

extension Store {
  /// Prunes, and folds the removed events by the planner of the fixtures.
  func prune(
    _ part: RetentionPart, by age: Age, after cursor: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> Pruned {
    let planner = try Fixtures.planner.get()
    return try prune(
      part, by: age, after: cursor, limit: limit, keeping: keeps,
      folding: { base, events, name in base.fold(events, of: name) { _ in planner } })
  }
}

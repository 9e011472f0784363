import CivilTime
import Reminders
import Store

/// The catalogs that recipients were planned with before the service started with other catalogs.
/// Occurrences that the new catalogs end are recorded with the texts of the former ones (rule T10).
extension Planning {
  /// The keys of the store's notes with the current catalogs, with the former ones, and with the
  /// fingerprint of the former plan.
  private static let catalogsNote = "catalogs"
  private static let formerCatalogsNote = "former catalogs"
  private static let formerPlanNote = "former plan"

  /// Records a planner's catalogs as the current ones, and the catalogs recorded so far as the
  /// former ones. Records the adoption too, if the planner decides differently (rule H31).
  func recordCatalogs(
    of planner: Planner, now: Instant, in transaction: any StoreWriter
  ) throws {
    try transaction.recordAdoption(of: planner, at: now)
    let text = planner.catalog.storedText
    let current = try transaction.note(Self.catalogsNote)
    guard current != text else { return }
    var notes = [Self.catalogsNote: text]
    if let current { notes[Self.formerCatalogsNote] = current }
    try transaction.save(notes: notes)
  }

  /// Records the store's current plan as the former plan, for a restart before all recipients are
  /// replanned.
  func recordFormerPlan(in transaction: any StoreWriter) throws {
    guard let plan = try transaction.plan() else { return }
    try recordFormerPlan(of: [plan], wasInterrupted: false, in: transaction)
  }

  /// Records one of several plans as the former plan, preferably a plan of other catalogs than the
  /// current ones. If all plans were interrupted, the record does not change.
  ///
  /// - Parameters:
  ///   - plans: the fingerprints of the plans; an empty text for a plan that was interrupted.
  ///   - wasInterrupted: whether any shard's planning was interrupted. Then a plan of the current
  ///     catalogs does not replace the record.
  func recordFormerPlan(
    of plans: [String], wasInterrupted: Bool, in transaction: any StoreWriter
  ) throws {
    let complete = plans.filter { !$0.isEmpty }
    let different = complete.first { PlanFingerprint($0)?.catalogs != planner.catalog.fingerprint }
    guard let plan = different ?? (wasInterrupted ? nil : complete.first) else { return }
    try transaction.saveNote(Self.formerPlanNote, plan)
  }

  /// Returns a planner with the catalogs of one of the former plans. Returns nil if all these
  /// catalogs are the current ones, or no longer known.
  ///
  /// - Parameter plans: the fingerprints of the plans; an empty text for a plan that was
  ///   interrupted.
  func formerPlanner(
    of plans: some Sequence<String>, in transaction: any StoreWriter
  ) throws -> Planner? {
    let formerPlans = try Set(plans).compactMap { plan in
      try PlanFingerprint(plan.isEmpty ? transaction.note(Self.formerPlanNote) ?? "" : plan)
    }
    let fingerprints = formerPlans.map(\.catalogs).filter { $0 != planner.catalog.fingerprint }
    guard !fingerprints.isEmpty else { return nil }
    for note in [Self.catalogsNote, Self.formerCatalogsNote] {
      let catalog = try transaction.note(note).flatMap { Catalog(storedText: $0) }
      guard let catalog, fingerprints.contains(catalog.fingerprint) else { continue }
      return planner.renewed(catalog: catalog)
    }
    return nil
  }

  /// Ends the pending occurrences of reminders that the new catalogs do not declare.
  ///
  /// - Parameter change: the change from the former planner; nil if there is no former planner.
  func withdrawRemoved(
    _ stored: inout StoredRecipient, by change: PlannerChange?, _ turn: inout Turn
  ) throws {
    guard let change else { return }
    turn.effects.planning.ended.append(EndedOccurrences(of: stored, by: change))
    let withdrawn = stored.recipient.withdrawRemoved(by: change, now: turn.now)
    try record(withdrawn, of: &stored, by: change.former, &turn)
  }

  /// Reports the ended occurrences, and forgets them with the former planner.
  func concludeEnded() {
    if !ended.isEmpty { actions.report(ended.all) }
    (ended, formerPlanner) = (EndedReminders(), nil)
  }
}

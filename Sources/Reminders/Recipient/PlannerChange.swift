/// A change from one planner to another. It compares their catalogs once for all recipients.
package struct PlannerChange: Sendable {
  /// The previous planner.
  package let former: Planner
  /// The new planner.
  package let planner: Planner
  /// Whether the new catalog removes a reminder of the previous one. A reminder that the new
  /// catalog has under another name is not removed.
  let removesReminders: Bool

  package init(from former: Planner, to planner: Planner) {
    (self.former, self.planner) = (former, planner)
    let catalog = planner.catalog
    func isRemoved(_ reminder: Reminder) -> Bool { catalog.reminder(reminder.symbol) == nil }
    removesReminders =
      former.catalog.reminders.contains(where: isRemoved)
      || former.catalog.requestReminders.contains(where: isRemoved)
  }
}

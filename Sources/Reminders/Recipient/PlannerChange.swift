/// A change of planners, with a comparison of their catalogs that is made once for all recipients.
package struct PlannerChange: Sendable {
  /// The previous planner.
  package let former: Planner
  /// The new planner.
  package let planner: Planner
  /// Whether any reminder of the previous catalog is removed: the new catalog neither declares it
  /// nor contains its name as the former name of another reminder.
  let hasRemoved: Bool

  package init(from former: Planner, to planner: Planner) {
    (self.former, self.planner) = (former, planner)
    let catalog = planner.catalog
    func isRemoved(_ reminder: Reminder) -> Bool { catalog.reminder(reminder.symbol) == nil }
    hasRemoved =
      former.catalog.reminders.contains(where: isRemoved)
      || former.catalog.requestReminders.contains(where: isRemoved)
  }
}

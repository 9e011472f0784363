/// Keys of the store's notes about planning.
enum PlanNotes {
  /// The start of planning with the current inputs, for all recipients.
  static let since = "plan since"
}

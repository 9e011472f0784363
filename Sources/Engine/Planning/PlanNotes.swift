/// Keys of the store's notes about planning.
enum PlanNotes {
  /// The key of the instant since which recipients are planned with the current catalogs and zones.
  static let since = "plan since"
}

/// What a recipient has been told, counted as it happens, so that no page and no badge has to count
/// (rules N1, N4).
package struct Ledger: Hashable, Sendable {
  /// The latest notification, from which the others are reached; 0 for none.
  package var head: Int64 = 0
  /// How many that were delivered have not been dismissed.
  package var recent = 0
  /// How many items the inbox has, and how many of them are unread.
  package var items = 0
  package var unread = 0
  /// Everything up to this notification has been cleared.
  package var cleared: Int64 = 0

  package init() {}
}

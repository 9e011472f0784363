/// The operator's policies, joined from all catalogs and the configuration. Each applies, so the
/// strictest counts (rule V18).
package struct Policies: Hashable, Sendable {
  package var hours: [AllowedHours] = []
  package var caps: [PolicyCap] = []
  /// The most that a recipient's daily cap may allow; nil for any number.
  package private(set) var capPerDay: Int64?
  /// The least minimum interval in milliseconds; nil for none.
  package private(set) var minimumInterval: Int64?

  mutating func limit(capPerDay cap: Int64) { capPerDay = min(capPerDay ?? cap, cap) }

  mutating func limit(minimumInterval interval: Int64) {
    minimumInterval = max(minimumInterval ?? interval, interval)
  }
}

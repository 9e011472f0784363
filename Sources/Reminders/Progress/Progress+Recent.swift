package import CivilTime

extension Progress {
  /// A local day is over after this, wherever the person travels meanwhile.
  private static let memory = TimeSpan.days(3)
  /// As high as a cap may be.
  private static let countMax = 1_000

  /// Notes a delivery that counts towards the minimum interval and the daily cap.
  package mutating func count(delivery instant: Instant) {
    let oldest = instant - Self.memory
    recent.removeFirst(recent.prefix { $0 < oldest }.count)
    if recent.count >= Self.countMax { recent.removeFirst() }
    let index = recent.lastIndex { $0 <= instant }.map { $0 + 1 } ?? 0
    recent.insert(instant, at: index)
  }

  /// Forgets what a clock that ran ahead has counted: it would hold back everything until then.
  mutating func forgetRecent(after now: Instant) {
    recent.removeAll { $0 > now }
  }

  func isCancelled(_ reminder: Symbol, key: Int64) -> Bool {
    !cancelled.isEmpty && cancelled.contains { $0.reminder == reminder && $0.key == key }
  }
}

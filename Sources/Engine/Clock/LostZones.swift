package import CivilTime

/// The zones that the current tz database no longer has (rule T4), and the number of recipients in
/// each. The recipients were counted when all of them were last replanned.
package struct LostZones: Hashable, Sendable {
  private var counts: [ZoneFault: Int] = [:]

  package init() {}

  package var isEmpty: Bool { counts.isEmpty }

  /// The number of recipients in all lost zones.
  package var recipients: Int { counts.values.reduce(0, +) }

  package mutating func add(_ fault: ZoneFault, recipients: Int) {
    counts[fault, default: 0] += recipients
  }

  mutating func add(_ others: LostZones) {
    for (fault, count) in others.counts { add(fault, recipients: count) }
  }

  /// A sentence for each zone: the fault, the rules that apply instead, the remedy, and the number
  /// of recipients unless it is 0.
  package var sentences: [String] {
    sorted.map { fault, count in
      switch count {
      case 0: fault.description
      case 1: "\(fault) (1 recipient)"
      default: "\(fault) (\(count) recipients)"
      }
    }
  }

  /// A text with the number of recipients and the first four zones.
  package var summary: String {
    let names = sorted.map(\.fault.zone)
    let suffix = names.count > 4 ? " and \(names.count - 4) more" : ""
    let subject = recipients == 1 ? "1 recipient is" : "\(recipients) recipients are"
    return "\(subject) in zones that the tz database has lost: "
      + names.prefix(4).joined(separator: ", ") + suffix
  }

  private var sorted: [(fault: ZoneFault, count: Int)] {
    counts.sorted { $0.key.zone < $1.key.zone }.map { (fault: $0.key, count: $0.value) }
  }
}

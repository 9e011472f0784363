package import CivilTime

/// One planned instant of a reminder for a recipient.
///
/// The identity of an occurrence is (recipient, reminder, key), without the instant. A changed
/// zone, a clock step or a restart may move the instant, but cannot create a second occurrence.
package struct Occurrence: Hashable, Sendable {
  /// The number that distinguishes the occurrences of a reminder. Depending on the trigger, it is:
  ///
  /// - the day number of the local date; with several times a day, the number of the minute; with
  ///   picked times, 1,440 times the day number plus the position on the date;
  /// - the number that the recipient reached, for `after` with `highest`;
  /// - the millisecond of the triggering event, for another `after`;
  /// - the millisecond in which the streak or the idle time began, for a milestone or `idle`; 0 if
  ///   no event began it;
  /// - the code of the plan's entity, the local date and the minute (`PlanKey`);
  /// - the number of the request in the order of arrival;
  /// - the code of the entity (`Facts.itemCodes`), for `on`;
  /// - a hash of the entity's code, the announced instant or date, and the distance, for `before`
  ///   and `past`.
  package var key: Int64
  /// The instant for which the occurrence is planned. When it comes, gates may delay or drop the
  /// occurrence.
  package var planned: Instant
  /// The stamp (time and order of arrival) of the triggering event; nil if there is none.
  package var cause: Stamp?
  /// The index of the occurrence's item in the facts; nil if there is none.
  package var item: Int?
  /// The announced instant, or the end of the announced date. The occurrence is never sent at that
  /// instant or later (rule V10).
  package var deadline: Instant?
  /// Whether this is the latest lead of an entity that was reported after all its leads and before
  /// its instant (rule T13). A lead is a distance before the instant, such as a day.
  package var isLateLead = false
  /// The channels that the occurrence's request names; empty for all channels of the reminder.
  var requestedChannels: ChannelSet = []

  /// Returns the key for a code of 64 bits.
  static func key(_ code: UInt64) -> Int64 { Int64(code >> 1) }
}

/// The occurrences of a reminder for the entities of its event type.
struct ItemOccurrences: Sendable {
  /// Past and future occurrences, with distinct keys.
  var all: [Occurrence]
  /// For each element of `all`, whether it is fresh. A fresh occurrence is planned after the report
  /// of its entity, is a late lead, or is planned from the time of its event.
  var isFresh: [Bool]
  /// The indices in `all` by key.
  private var indices: [Int64: Int] = [:]

  init(all: [Occurrence], isFresh: [Bool]) {
    (self.all, self.isFresh) = (all, isFresh)
  }

  var fresh: [Occurrence] { all.indices.filter { isFresh[$0] }.map { all[$0] } }

  /// Builds the index by key, for many look-ups.
  mutating func buildIndex() {
    Work.count(all.count)
    indices = Dictionary(all.indices.map { (all[$0].key, $0) }) { first, _ in first }
  }

  subscript(key: Int64) -> Occurrence? {
    guard indices.isEmpty else {
      Work.countStep()
      return indices[key].map { all[$0] }
    }
    Work.count(all.count)
    return all.first { $0.key == key }
  }
}

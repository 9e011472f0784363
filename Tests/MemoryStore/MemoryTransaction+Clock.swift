import CivilTime
import Reminders
import Store

/// Rule T11: corrections of rows that were written while the clock was wrong.
extension MemoryTransaction {
  func correctTimes(
    of stored: StoredRecipient, since first: Instant, _ correction: (Instant) -> Instant?
  ) -> [Int64: CorrectedTime] {
    var times: [Int64: CorrectedTime] = [:]
    for (order, entry) in state.events where entry.row == stored.row && entry.received >= first {
      guard !entry.event.isTimeGiven, let time = correction(entry.event.time) else { continue }
      times[order] = CorrectedTime(old: entry.event.time, new: time)
      state.events[order]?.event.time = time
    }
    return times
  }

  func allEvents(of stored: StoredRecipient) -> [StoredEvent] {
    state.events.filter { $0.value.row == stored.row }.sorted { $0.key < $1.key }
      .map { $0.value.storedEvent(order: $0.key) }
  }

  /// An occurrence whose new key is already used keeps its old key.
  func renameOccurrences(
    of stored: StoredRecipient, after first: Instant, _ keys: [Int64: Int64]
  ) {
    for (number, entry) in state.notifications.sorted(by: { $0.key > $1.key })
    where entry.record.row == stored.row && entry.record.at > first {
      guard let key = keys[entry.record.key] else { continue }
      var record = entry.record
      record.key = key
      guard state.occurrences[record.occurrence] == nil else { continue }
      state.occurrences[entry.record.occurrence] = nil
      state.occurrences[record.occurrence] = number
      state.notifications[number]?.record = record
    }
  }

  func limitErasureTimes(by latest: Instant) {
    state.erasures = state.erasures.mapValues { min($0, latest) }
  }
}

import CivilTime
import Reminders
import Store

/// Rule T11: corrections of rows that a wrong clock has written.
extension MemoryTransaction {
  func correctTimes(
    of stored: StoredRecipient, since first: Instant, _ correction: (Instant) -> Instant?
  ) -> [Int64: CorrectedTime] {
    var times: [Int64: CorrectedTime] = [:]
    for (order, kept) in state.events where kept.row == stored.row && kept.received >= first {
      guard !kept.event.isTimeGiven, let time = correction(kept.event.time) else { continue }
      times[order] = CorrectedTime(old: kept.event.time, new: time)
      state.events[order]?.event.time = time
    }
    return times
  }

  func allEvents(of stored: StoredRecipient) -> [StoredEvent] {
    state.events.filter { $0.value.row == stored.row }.sorted { $0.key < $1.key }
      .map { $0.value.kept($0.key) }
  }

  /// An occurrence whose new key is already used keeps its own key.
  func renameOccurrences(
    of stored: StoredRecipient, after first: Instant, _ keys: [Int64: Int64]
  ) {
    for (number, kept) in state.notifications.sorted(by: { $0.key > $1.key })
    where kept.record.row == stored.row && kept.record.at > first {
      guard let key = keys[kept.record.key] else { continue }
      var record = kept.record
      record.key = key
      guard state.occurrences[record.occurrence] == nil else { continue }
      state.occurrences[kept.record.occurrence] = nil
      state.occurrences[record.occurrence] = number
      state.notifications[number]?.record = record
    }
  }

  func boundErasures(by latest: Instant) {
    state.erasures = state.erasures.mapValues { min($0, latest) }
  }
}

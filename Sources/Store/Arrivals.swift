import CivilTime
import Reminders

/// The events of a transaction that are not written yet: written in one go, they cost half.
final class Arrivals {
  struct Entry {
    let row: Int64
    let recipient: Int64
    let previous: Int64
    let received: Instant
    let event: Event
  }

  /// More are written before the transaction ends, so that they take no more memory.
  private static let most = 16_384

  /// In the order of arrival, each with the row after the one before.
  private(set) var entries: [Entry] = []

  var isFull: Bool { entries.count >= Self.most }

  subscript(row row: Int64) -> Event? {
    guard let first = entries.first?.row, row >= first else { return nil }
    return entries[Int(row - first)].event
  }

  func append(_ entry: Entry) {
    entries.append(entry)
  }

  func removeAll() {
    entries.removeAll(keepingCapacity: true)
  }
}

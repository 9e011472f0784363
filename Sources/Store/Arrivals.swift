import CivilTime
import Reminders

/// The events of a transaction that are not written yet, to be found by their identity.
///
/// Identities are hashes, so each belongs to another page of their table. Written in order, many at
/// a time, those that share a page meet in it.
final class Arrivals {
  struct Entry {
    let row: Int64
    let recipient: Int64
    let previous: Int64
    let received: Instant
    let slot: Int64
    let event: Event
  }

  /// More are written before the transaction ends, so that they take no more memory.
  private static let most = 16_384

  /// In the order of arrival.
  private(set) var entries: [Entry] = []
  private var bySlot: [Int64: Int] = [:]

  var isFull: Bool { entries.count >= Self.most }

  subscript(slot slot: Int64) -> Entry? {
    bySlot[slot].map { entries[$0] }
  }

  func append(_ entry: Entry) {
    bySlot[entry.slot] = entries.count
    entries.append(entry)
  }

  func removeAll() {
    entries.removeAll(keepingCapacity: true)
    bySlot.removeAll(keepingCapacity: true)
  }
}

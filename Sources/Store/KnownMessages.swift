import Reminders

/// The rows of the messages that many are told, as far as they are known to be stored.
final class KnownMessages {
  /// As many as that have a few megabytes.
  private static let most = 4_096
  /// A catalog's reminder has a few messages, of which a herd is told one or another.
  private static let recentCount = 16

  private struct Message {
    let caption: Caption
    let row: Int64
  }

  private var rows: [Caption: Int64] = [:]
  /// Those met last, which are recognized without being read through.
  private var recent: [Message] = []
  private var oldest = 0

  /// The row of a message; nil if it is not known to be stored.
  func row(of caption: Caption) -> Int64? {
    for message in recent where message.caption === caption { return message.row }
    for message in recent where message.caption == caption { return message.row }
    guard let row = rows[caption] else { return nil }
    remember(Message(caption: caption, row: row))
    return row
  }

  func add(_ caption: Caption, row: Int64) {
    remember(Message(caption: caption, row: row))
    if rows.count >= Self.most { rows.removeAll() }
    rows[caption] = row
  }

  /// After a rollback or an erasure it is not known what is stored.
  func forget() {
    rows.removeAll()
    recent.removeAll()
    oldest = 0
  }

  private func remember(_ message: Message) {
    guard recent.count == Self.recentCount else { return recent.append(message) }
    recent[oldest] = message
    oldest = (oldest + 1) % Self.recentCount
  }
}

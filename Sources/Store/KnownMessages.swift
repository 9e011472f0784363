import Reminders

/// The messages that are known to be stored already.
final class KnownMessages {
  private static let most = 100_000
  /// A catalog's reminder has a few messages, of which a herd is told one or another.
  private static let recentCount = 16

  private struct Message {
    let caption: Caption
    let identity: Int64
  }

  private var identities: Set<Int64> = []
  /// Those met last, which are recognized without being read through.
  private var recent: [Message] = []
  private var oldest = 0

  /// A message's identity, and whether it is not known to be stored; from now on it is.
  func meet(_ caption: Caption) -> (identity: Int64, isNew: Bool) {
    for message in recent where message.caption === caption {
      return (message.identity, false)
    }
    for message in recent where message.caption == caption {
      return (message.identity, false)
    }
    let identity = Self.identity(of: caption)
    remember(Message(caption: caption, identity: identity))
    if identities.count > Self.most { identities.removeAll() }
    return (identity, identities.insert(identity).inserted)
  }

  /// After a rollback it is not known what is stored.
  func forget() {
    identities.removeAll()
    recent.removeAll()
    oldest = 0
  }

  private static func identity(of caption: Caption) -> Int64 {
    let texts = [
      caption.reminder, caption.category, caption.title, caption.body, caption.details,
      caption.members.joined(separator: ","),
    ]
    return Int64(bitPattern: texts.reduce(0) { mixed($0 ^ stableHash($1)) })
  }

  private func remember(_ message: Message) {
    guard recent.count == Self.recentCount else { return recent.append(message) }
    recent[oldest] = message
    oldest = (oldest + 1) % Self.recentCount
  }
}

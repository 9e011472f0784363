package import Reminders

/// A stream's registration for one recipient. Releasing it ends the registration.
package final class Watch: Sendable {
  /// The row of the recipient.
  let recipient: UInt32
  private let watchers: Watchers

  init(_ recipient: UInt32, signal: StreamSignal, in watchers: Watchers) {
    self.recipient = recipient
    self.watchers = watchers
    watchers.add(signal, for: recipient, as: ObjectIdentifier(self))
  }

  /// The numbers of the notifications that were withdrawn since the registration; beyond
  /// `Watchers.withdrawnMax`, the latest withdrawals.
  var withdrawn: [Int64] { watchers.withdrawn(from: recipient, since: ObjectIdentifier(self)) }

  deinit {
    watchers.remove(ObjectIdentifier(self), of: recipient)
  }
}

/// The answer to a request to watch a recipient.
package enum WatchAnswer: Sendable {
  /// The registration and the backlog for the first page.
  ///
  /// - Parameter cursor: the position from which a client that has received no delivery resumes.
  case watching(Watch, StreamBacklog, cursor: String)
  case unknownRecipient
  /// The position to continue from is not, or is no longer, a position of this recipient.
  case unknownCursor
  /// Another node owns the recipient's shard, and only its engine signals new deliveries.
  case elsewhere(shard: Int)
}

/// The unsent notifications of a stream, which the stream passes from page to page: 8 bytes for
/// each.
package struct StreamBacklog: Sendable {
  enum Search: Hashable, Sendable {
    /// The notifications have to be searched: at the start, and after each signal.
    case due
    /// The search continues at this notification.
    case at(Int64)
    /// The search has reached the position, so `unsent` is complete.
    case done
  }

  /// The position from which the next page continues.
  var cursor: StreamPosition
  /// The unsent notifications after the position, newest first.
  var unsent: [Int64] = []
  var search = Search.due

  init(_ cursor: StreamPosition) {
    self.cursor = cursor
  }
}

/// A page of deliveries to a recipient, in the order in which they were recorded.
package struct StreamPage: Sendable {
  package struct Item: Sendable {
    /// The position to resume from.
    package var cursor: String
    package var delivery: Delivery

    package init(cursor: String, delivery: Delivery) {
      self.cursor = cursor
      self.delivery = delivery
    }
  }

  package var items: [Item] = []
  /// The position to resume from, if it is after the last item; nil otherwise.
  package var cursor: String?
  /// The backlog for the next page.
  package var backlog: StreamBacklog
  /// Whether more can be read now, even if this page is empty.
  package var hasMore = false
}

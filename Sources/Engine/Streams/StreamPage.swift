package import Reminders

/// What came of the wish to watch what goes out to a recipient.
package enum WatchAnswer: Sendable {
  /// - Parameter place: the id to go on from if nothing comes.
  case watching(Watch, Backlog, place: String)
  case unknownRecipient
  /// The place to go on from is not one of this recipient's, or is no longer.
  case unknownPlace
}

/// What a stream has still to read, kept by the stream from page to page: a few bytes for each
/// notification.
package struct Backlog: Sendable {
  enum Search: Hashable, Sendable {
    /// Not since the stream was last told of something.
    case due
    /// Under way, and to go on with a notification.
    case at(Int64)
    case done
  }

  var place: DeliveryPlace
  /// The notifications behind the place that are not read yet, the latest first.
  var found: [Int64] = []
  var search = Search.due

  init(_ place: DeliveryPlace) {
    self.place = place
  }
}

/// What goes out to a recipient, a page at a time, in the order in which it was recorded.
package struct StreamPage: Sendable {
  package struct Item: Sendable {
    /// The id to go on from.
    package var place: String
    package var delivery: Delivery

    package init(place: String, delivery: Delivery) {
      self.place = place
      self.delivery = delivery
    }
  }

  package var items: [Item] = []
  /// The id to go on from, if the page ends behind its last item.
  package var place: String?
  package var backlog: Backlog
  /// Whether there is more to be read now; also of a page without items.
  package var hasMore = false
}

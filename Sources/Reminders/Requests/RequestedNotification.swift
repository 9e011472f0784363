package import CivilTime

/// A notification that an app requested (`notification.requested`), until it is finished.
package struct RequestedNotification: Hashable, Sendable {
  package let plan: RequestPlan
  let texts: RequestTexts

  package init(identity: EventIdentity, stamp: Stamp, content: Content) {
    plan = RequestPlan(stamp, content)
    texts = RequestTexts(identity, content)
  }

  init(_ plan: RequestPlan, _ texts: RequestTexts) {
    (self.plan, self.texts) = (plan, texts)
  }

  /// The event's source and id, by which the app cancels the request.
  package var identity: EventIdentity { texts.identity }

  /// The content of the request's event.
  package var content: Content {
    let words = texts.words
    return Content(
      category: plan.category, planned: plan.planned, expires: plan.expires,
      channels: plan.channels, isInteractive: plan.isInteractive, title: words.title,
      body: words.body, details: words.details)
  }

  package struct Content: Hashable, Sendable {
    /// The symbol of the category's name.
    package var category: Symbol
    /// The instant from which the notification may be sent.
    package var planned: Instant
    /// The span from the planned instant to the expiry.
    package var expires: TimeSpan
    /// The requested channels; empty for all channels that the category allows.
    package var channels: ChannelSet
    /// Whether the recipient is in the app, so that the notification passes quiet hours (rule V3).
    package var isInteractive: Bool
    package var title: String
    package var body: String
    /// Other data for the app's client, as a JSON object; empty if there are none.
    package var details: String
  }
}

/// The members of a request that planning needs: all except texts. None of them is
/// reference-counted, so that examining a recipient's requests, up to a thousand, at each event is
/// cheap.
package struct RequestPlan: Hashable, Sendable {
  /// The stamp of the request's event.
  package let stamp: Stamp
  /// The symbol of the category's name.
  package let category: Symbol
  /// The instant from which the notification may be sent.
  package let planned: Instant
  /// The span from the planned instant to the expiry.
  package let expires: TimeSpan
  /// The requested channels; empty for all channels that the category allows.
  package let channels: ChannelSet
  /// Whether the recipient is in the app, so that the notification passes quiet hours (rule V3).
  package let isInteractive: Bool

  init(_ stamp: Stamp, _ content: RequestedNotification.Content) {
    self.stamp = stamp
    category = content.category
    planned = content.planned
    expires = content.expires
    channels = content.channels
    isInteractive = content.isInteractive
  }

  /// The key of the request's occurrence: the event's number in the order of arrival. It is unique,
  /// and apps cannot choose it (rule E5).
  package var key: Int64 { stamp.order }

  /// Returns those of the category's channels that were requested; all if the request names none.
  func narrowed(_ channels: ChannelSet) -> ChannelSet {
    self.channels.isEmpty ? channels : channels.intersection(self.channels)
  }

  /// Returns whether one request is earlier than another, by the times of their events, and then by
  /// the order of arrival.
  package static func isEarlier(_ left: Self, _ right: Self) -> Bool { left.stamp < right.stamp }
}

extension RequestPlan {
  func write(to writer: inout ByteWriter) {
    writer.stamp(stamp, since: 0)
    writer.symbol(category)
    writer.signed(planned.milliseconds)
    writer.signed(expires.milliseconds)
    writer.unsigned(UInt64(channels.rawValue))
    writer.count(isInteractive ? 1 : 0)
  }

  init(from reader: inout ByteReader) throws(CodingFailure) {
    stamp = try reader.stamp(since: 0)
    category = try reader.symbol()
    planned = Instant(milliseconds: try reader.signed())
    expires = TimeSpan(milliseconds: try reader.signed())
    channels = ChannelSet(rawValue: UInt8(truncatingIfNeeded: try reader.unsigned()))
    isInteractive = try reader.count() == 1
  }
}

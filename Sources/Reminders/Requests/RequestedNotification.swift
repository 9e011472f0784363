package import CivilTime

/// Something an app wants said, now or at an instant (`notification.requested`), until it is
/// settled.
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

  /// The event's source and id: what the app takes it back by.
  package var identity: EventIdentity { texts.identity }

  /// What the app has asked for, as its event has it.
  package var content: Content {
    let words = texts.words
    return Content(
      category: plan.category, planned: plan.planned, expires: plan.expires,
      channels: plan.channels, isInteractive: plan.isInteractive, title: words.title,
      body: words.body, details: words.details)
  }

  package struct Content: Hashable, Sendable {
    package var category: Symbol
    package var planned: Instant
    package var expires: TimeSpan
    /// The channels it is meant for; empty for whatever its category allows.
    package var channels: ChannelSet
    package var isInteractive: Bool
    package var title: String
    package var body: String
    /// Whatever else the app's own client makes something of, as a JSON object; or empty.
    package var details: String
  }
}

/// What a request is planned by: all of it but what it says, without anything that has to be
/// counted or copied, as a person may have a thousand of them and each is looked at with each
/// event.
package struct RequestPlan: Hashable, Sendable {
  package let stamp: Stamp
  package let category: Symbol
  package let planned: Instant
  package let expires: TimeSpan
  /// The channels it is meant for; empty for whatever its category allows.
  package let channels: ChannelSet
  package let isInteractive: Bool

  init(_ stamp: Stamp, _ content: RequestedNotification.Content) {
    self.stamp = stamp
    category = content.category
    planned = content.planned
    expires = content.expires
    channels = content.channels
    isInteractive = content.isInteractive
  }

  /// What its occurrence is known by. The place in the order of arrival is nobody else's, and no
  /// app can choose it (rule E5).
  package var key: Int64 { stamp.order }

  /// Those of its category's channels that it is meant for.
  func narrowed(_ channels: ChannelSet) -> ChannelSet {
    self.channels.isEmpty ? channels : channels.intersection(self.channels)
  }

  /// Whether it was asked for before another: by the apps' own times, and of one instant in the
  /// order of arrival.
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

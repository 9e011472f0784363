package import CivilTime
internal import JSON
package import Reminders

/// What Google is asked to show on one device (projects.messages of FCM HTTP v1).
package struct FCMMessage: Sendable {
  package let delivery: Delivery
  package let platform: String
  package let token: String
  package let looks: FCMLooks

  /// How much a message may hold, beside its addressee.
  private static let bytesMax = 4_096
  /// The longest that FCM keeps a message: four weeks.
  private static let lifeMax: Int64 = 2_419_200

  package init(_ delivery: Delivery, platform: String, token: String, looks: FCMLooks) {
    self.delivery = delivery
    self.platform = platform
    self.token = token
    self.looks = looks
  }

  /// Nil if it is too long even without its body.
  package func bytes(now: Instant) -> [UInt8]? {
    PushText.fit(delivery.body, into: Self.bytesMax + token.utf8.count) { body in
      var writer = JSONWriter(reservingCapacity: 1_024)
      writer.beginObject()
      writer.key(constant: "message")
      writer.beginObject()
      writer.member("token", token)
      writeNotification(body, to: &writer)
      writeData(to: &writer)
      writePlatform(now, to: &writer)
      writer.endObject()
      writer.endObject()
      return writer.bytes
    }
  }

  private func writeNotification(_ body: String, to writer: inout JSONWriter) {
    writer.key(constant: "notification")
    writer.beginObject()
    writer.member("title", delivery.title)
    if !body.isEmpty { writer.member("body", body) }
    writer.endObject()
  }

  /// For the app; all values are texts, as FCM wants them.
  private func writeData(to writer: inout JSONWriter) {
    let message = delivery.message
    writer.key(constant: "data")
    writer.beginObject()
    writer.member("id", delivery.identifier)
    writer.member("reminder", message.reminder)
    writer.member("category", message.category)
    if !message.details.isEmpty { writer.member("details", message.details) }
    if !message.members.isEmpty {
      writer.member("digest", message.members.joined(separator: ","))
    }
    writer.endObject()
  }

  private func writePlatform(_ now: Instant, to writer: inout JSONWriter) {
    switch platform {
    case "web": writeBrowser(now, to: &writer)
    case "ios": writeApple(now, to: &writer)
    default: writeAndroid(now, to: &writer)
    }
  }

  /// How many seconds it is worth keeping.
  private func life(_ now: Instant) -> Int64 {
    min(max(0, (delivery.expiry - now).milliseconds / 1_000), Self.lifeMax)
  }

  // MARK: - Platforms

  /// A repetition shows in the place of the first by its tag. There is no collapse key: FCM keeps
  /// no more than four for a device that is away, and would lose the fifth reminder.
  private func writeAndroid(_ now: Instant, to writer: inout JSONWriter) {
    writer.key(constant: "android")
    writer.beginObject()
    writer.member("priority", delivery.isUnobtrusive ? "NORMAL" : "HIGH")
    writer.member("ttl", "\(life(now))s")
    writer.key(constant: "notification")
    writer.beginObject()
    writer.member("tag", delivery.identifier)
    let channel = delivery.isNoisy ? looks.channel : looks.silentChannel ?? looks.channel
    if let channel { writer.member("channel_id", channel) }
    if delivery.isNoisy {
      writer.member("sound", delivery.hints.contains(.customTone) ? looks.usedTone : "default")
    }
    if delivery.isUnobtrusive { writer.member("notification_priority", "PRIORITY_LOW") }
    if delivery.hints.contains(.noVibration) {
      writer.member("default_vibrate_timings", false)
    }
    if !delivery.hints.isDisjoint(with: [.previewUnlocked, .previewNever]) {
      writer.member("visibility", "PRIVATE")
    }
    writer.endObject()
    writer.endObject()
  }

  private func writeBrowser(_ now: Instant, to writer: inout JSONWriter) {
    writer.key(constant: "webpush")
    writer.beginObject()
    writer.key(constant: "headers")
    writer.beginObject()
    writer.member("TTL", "\(life(now))")
    writer.member("Urgency", delivery.isUnobtrusive ? "low" : "high")
    writer.member("Topic", PushIdentity.topic(delivery))
    writer.endObject()
    writer.key(constant: "notification")
    writer.beginObject()
    writer.member("tag", delivery.identifier)
    if !delivery.isNoisy { writer.member("silent", true) }
    writer.endObject()
    writer.endObject()
  }

  private func writeApple(_ now: Instant, to writer: inout JSONWriter) {
    let manner = APNsManner(delivery)
    writer.key(constant: "apns")
    writer.beginObject()
    writer.key(constant: "headers")
    writer.beginObject()
    for (name, value) in manner.headers(now: now) {
      writer.key(name)
      writer.value(value)
    }
    writer.endObject()
    writer.key(constant: "payload")
    writer.beginObject()
    writer.key(constant: "aps")
    writer.beginObject()
    manner.writeAspects(tone: looks.tone, to: &writer)
    writer.endObject()
    writer.endObject()
    writer.endObject()
  }
}

/// How notifications are to look and sound on Android; the app has to know the names.
package struct FCMLooks: Hashable, Sendable {
  /// The notification channel of the app.
  package var channel: String?
  /// The one for what makes no sound; since Android 8 a channel decides that.
  package var silentChannel: String?
  /// For people who chose a tone of their own.
  package var tone: String?

  package init(channel: String? = nil, silentChannel: String? = nil, tone: String? = nil) {
    self.channel = channel
    self.silentChannel = silentChannel
    self.tone = tone
  }

  var usedTone: String { tone ?? "default" }
}

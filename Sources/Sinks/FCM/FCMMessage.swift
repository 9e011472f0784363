package import CivilTime
internal import JSON
package import Reminders

/// A notification for one device in Google's format (projects.messages of FCM HTTP v1).
package struct FCMMessage: Sendable {
  package let delivery: Delivery
  /// The platform of the device, such as `android`.
  package let platform: String
  /// The token that identifies the device to FCM.
  package let token: String
  package let presentation: FCMPresentation

  /// The maximum size of a message in bytes, without the device's token.
  private static let bytesMax = 4_096
  /// The longest time in seconds that FCM keeps a message: four weeks.
  private static let timeToLiveMax: Int64 = 2_419_200

  package init(_ delivery: Delivery, platform: String, token: String, presentation: FCMPresentation)
  {
    self.delivery = delivery
    self.platform = platform
    self.token = token
    self.presentation = presentation
  }

  /// Returns the message as JSON, with its body shortened if necessary; nil if the message is too
  /// long even without the body.
  package func bytes(now: Instant) -> [UInt8]? {
    PushText.fit(delivery.body, into: Self.bytesMax + token.utf8.count) { body in
      var writer = JSONWriter(reservingCapacity: 1_024)
      writer.beginObject()
      writer.key(constant: "message")
      writer.beginObject()
      writer.member("token", token)
      if isShownBySystem { writeNotification(body, to: &writer) }
      writeData(to: &writer)
      writePlatform(now, to: &writer)
      writer.endObject()
      writer.endObject()
      return writer.bytes
    }
  }

  /// Whether the operating system shows the notification. On Android and in browsers, the app shows
  /// a notification whose text it fetches.
  private var isShownBySystem: Bool {
    !delivery.isWithdrawal && (!delivery.isFetched || platform == "ios")
  }

  private func writeNotification(_ body: String, to writer: inout JSONWriter) {
    writer.key(constant: "notification")
    writer.beginObject()
    writer.member("title", delivery.title)
    if !body.isEmpty { writer.member("body", body) }
    writer.endObject()
  }

  /// Writes the members that the app reads; FCM requires all values to be texts.
  private func writeData(to writer: inout JSONWriter) {
    let message = delivery.shownMessage
    writer.key(constant: "data")
    writer.beginObject()
    writer.member("id", delivery.identifier)
    if delivery.isWithdrawal {
      writer.member("withdrawn", "true")
    } else if delivery.isFetched {
      writer.member("text", "fetch")
      writer.member("title", message.title)
      if !delivery.isNoisy { writer.member("silent", "true") }
      if delivery.hints.contains(.noVibration) { writer.member("vibration", "false") }
    } else {
      writer.member("reminder", message.reminder)
      writer.member("category", message.category)
      if !message.details.isEmpty { writer.member("details", message.details) }
      if !message.members.isEmpty {
        writer.member("digest", message.members.joined(separator: ","))
      }
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

  /// Returns the seconds until the delivery expires, at most the longest time that FCM allows.
  private func timeToLive(_ now: Instant) -> Int64 {
    min(max(0, (delivery.expiry - now).milliseconds / 1_000), Self.timeToLiveMax)
  }

  // MARK: - Platforms

  /// Writes the members for Android. Because of the tag, a repeated delivery replaces the first
  /// notification. There is no collapse key: for an offline device, FCM stores messages with at
  /// most four different keys, and would lose the fifth reminder.
  private func writeAndroid(_ now: Instant, to writer: inout JSONWriter) {
    writer.key(constant: "android")
    writer.beginObject()
    writer.member("priority", delivery.isUnobtrusive ? "NORMAL" : "HIGH")
    writer.member("ttl", "\(timeToLive(now))s")
    guard isShownBySystem else { return writer.endObject() }
    writer.key(constant: "notification")
    writer.beginObject()
    writer.member("tag", delivery.identifier)
    let channel =
      delivery.isNoisy ? presentation.channel : presentation.silentChannel ?? presentation.channel
    if let channel { writer.member("channel_id", channel) }
    if delivery.isNoisy {
      writer.member(
        "sound", delivery.hints.contains(.customTone) ? presentation.toneOrDefault : "default")
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
    writer.member("TTL", "\(timeToLive(now))")
    writer.member("Urgency", delivery.isUnobtrusive ? "low" : "high")
    writer.member("Topic", PushIdentity.topic(delivery))
    writer.endObject()
    guard isShownBySystem else { return writer.endObject() }
    writer.key(constant: "notification")
    writer.beginObject()
    writer.member("tag", delivery.identifier)
    if !delivery.isNoisy { writer.member("silent", true) }
    let actions = delivery.shownMessage.buttons.map(\.button)
    if !actions.isEmpty { writer.member("actions", .array(actions)) }
    writer.endObject()
    writer.endObject()
  }

  private func writeApple(_ now: Instant, to writer: inout JSONWriter) {
    let applePresentation = APNsPresentation(delivery)
    writer.key(constant: "apns")
    writer.beginObject()
    writer.key(constant: "headers")
    writer.beginObject()
    for (name, value) in applePresentation.headers(now: now) {
      writer.key(name)
      writer.value(value)
    }
    writer.endObject()
    writer.key(constant: "payload")
    writer.beginObject()
    writer.key(constant: "aps")
    writer.beginObject()
    applePresentation.writeAspects(tone: presentation.tone, to: &writer)
    writer.endObject()
    writer.endObject()
    writer.endObject()
  }
}

/// The look and sound of notifications on Android; the app must define the names.
package struct FCMPresentation: Hashable, Sendable {
  /// The app's notification channel.
  package var channel: String?
  /// The notification channel without sound; since Android 8 the channel decides about sound.
  package var silentChannel: String?
  /// The sound for recipients who have chosen a custom tone.
  package var tone: String?

  package init(channel: String? = nil, silentChannel: String? = nil, tone: String? = nil) {
    self.channel = channel
    self.silentChannel = silentChannel
    self.tone = tone
  }

  var toneOrDefault: String { tone ?? "default" }
}

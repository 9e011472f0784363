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

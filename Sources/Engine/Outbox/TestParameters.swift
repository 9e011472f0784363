package import Reminders

/// The parameters of a test notification to one recipient over one channel (rule D5).
package struct TestParameters: Sendable {
  package var channel: Channel
  package var title: String
  package var body: String

  package init(channel: Channel, title: String, body: String) {
    self.channel = channel
    self.title = title
    self.body = body
  }
}

/// The result of a request for a test notification.
package struct TestReceipt: Sendable {
  /// The id of the test notification.
  package var notification: String
  /// Why the channel cannot reach the recipient; nil if it can.
  package var obstacle: String?
  /// The sinks of the channel, in order of fallback.
  package var sinks: [String]

  package init(notification: String, obstacle: String?, sinks: [String]) {
    self.notification = notification
    self.obstacle = obstacle
    self.sinks = sinks
  }
}

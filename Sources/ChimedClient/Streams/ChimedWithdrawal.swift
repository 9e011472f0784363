public import Foundation

/// The withdrawal of a notification on one channel, because the notification no longer applies. An
/// app that shows the notification with this id removes it.
public struct ChimedWithdrawal: Hashable, Sendable, Decodable {
  /// The id of the notification, the same on all its channels.
  public let id: String
  public let recipient: String
  public let reminder: String
  public let category: String
  public let channel: String
  /// When the notification was withdrawn.
  public let at: Date
}

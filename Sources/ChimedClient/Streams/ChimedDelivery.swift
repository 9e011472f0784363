public import Foundation

/// A notification that was sent on one channel.
public struct ChimedDelivery: Hashable, Sendable, Decodable {
  /// The id of the notification, the same on all its channels.
  public let id: String
  public let recipient: String
  public let reminder: String
  public let category: String
  public let channel: String
  public let title: String
  public let body: String
  /// The instant for which the notification was planned.
  public let planned: Date
  /// When the notification passed the gates: the service's checks before sending, such as quiet
  /// hours.
  public let at: Date
  /// Details of the event that requested the notification, such as `deepLink`; nil if there are
  /// none.
  public let details: ChimedValue?
}

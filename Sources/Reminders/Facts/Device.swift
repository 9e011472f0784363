/// A device on which a person has the app: a register, of which the latest stamp wins.
package struct Device: Hashable, Sendable {
  /// The app's own name for it.
  package var identifier: String
  package var platform: String
  /// What push services know it by, or the text of its `WebPushSubscription`; nil once it is
  /// removed.
  package var token: String?
  package var stamp: Stamp

  package init(identifier: String, platform: String, token: String?, stamp: Stamp) {
    self.identifier = identifier
    self.platform = platform
    self.token = token
    self.stamp = stamp
  }
}

/// What the person told their device about a channel: a register among the settings that no
/// preferences document can write.
package enum Permission: Int64, CaseIterable, Sendable {
  case undetermined, granted, denied

  package init?(name: String) {
    guard let permission = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = permission
  }

  package var name: String { "\(self)" }

  /// Where a channel's permission is kept.
  package static func path(of channel: Channel) -> Symbol {
    switch channel {
    case .push: pushPath
    case .email: emailPath
    case .sms: smsPath
    case .inapp: inappPath
    }
  }

  private static let pushPath = Symbol("permission.push")
  private static let emailPath = Symbol("permission.email")
  private static let smsPath = Symbol("permission.sms")
  private static let inappPath = Symbol("permission.inapp")
}

extension Facts {
  package func permission(of channel: Channel) -> Permission {
    let path = Permission.path(of: channel)
    let register = settings.first { $0.path == path }
    return register.flatMap { Permission(rawValue: $0.value) } ?? .undetermined
  }
}

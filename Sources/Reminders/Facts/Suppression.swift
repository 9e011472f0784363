package import CivilTime

/// The reason why an address is no longer used (rule D10). It is stored as a setting that
/// preferences documents cannot write.
package enum Suppression: Int64, CaseIterable, Sendable {
  /// The address does not exist or accepts nothing.
  case bounced = 1
  /// The recipient reported a notification as unwanted.
  case complained = 2

  package var name: String { "\(self)" }

  init?(_ state: DeliveryReport.State) {
    switch state {
    case .bounced: self = .bounced
    case .complained: self = .complained
    case .received, .failed: return nil
    }
  }

  /// Returns the path of a channel's suppression among the settings; nil for a channel without an
  /// address in the profile.
  static func path(of channel: Channel) -> Symbol? {
    switch channel {
    case .email: emailPath
    case .sms: smsPath
    case .push, .inapp: nil
    }
  }

  private static let emailPath = Symbol("suppression.email")
  private static let smsPath = Symbol("suppression.sms")
}

extension Channel {
  /// The field of the profile with the channel's address; nil if the channel has none.
  fileprivate var addressField: ProfileField? {
    switch self {
    case .email: .email
    case .sms: .phone
    case .push, .inapp: nil
    }
  }
}

extension DeliveryReport {
  /// Whether the report suppresses the recipient's address (rule D10).
  package var suppressesAddress: Bool { suppression != nil }

  /// The setting that suppresses the address; nil unless the report is a bounce or a complaint
  /// about a channel with an address.
  var suppression: SettingChange? {
    guard let suppression = Suppression(state), let path = Suppression.path(of: channel) else {
      return nil
    }
    return SettingChange(path: path, value: suppression.rawValue)
  }
}

extension Facts {
  /// Returns the reason why a channel's address is suppressed, and since when. Returns nil if it is
  /// not suppressed, or if an app has since reported the address again (rule D10).
  package func suppression(of channel: Channel) -> (reason: Suppression, since: Instant)? {
    guard let path = Suppression.path(of: channel), let field = channel.addressField,
      let register = settings.first(where: { $0.path == path }),
      let reason = Suppression(rawValue: register.value)
    else { return nil }
    let address = profile.first { $0.field == field }
    if let address, register.stamp < address.stamp { return nil }
    return (reason, register.stamp.time)
  }
}

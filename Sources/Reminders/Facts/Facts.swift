/// A recipient's state, computed from events by their times (rule E1). To apply an event to the
/// facts is to fold it. A stamp is an event's time, and its order of arrival among equal times.
///
/// A fact is a register where the latest stamp wins, a minimum or maximum of stamps, or a count. So
/// the order of folding does not matter, and late events are folded without reading the history
/// again.
package struct Facts: Hashable, Sendable {
  /// The stamp of the earliest event; nil for a recipient without events.
  package var created: Stamp?
  /// The fields of the profile, sorted by field.
  package var profile: [ProfileRegister] = []
  /// The settings, sorted by path.
  package var settings: [SettingRegister] = []
  /// The announced vacations and their cancellations, sorted by their first date.
  package internal(set) var vacations: [AnnouncedVacation] = []
  /// The summaries of the events of each type, sorted by type.
  package var marks: [Mark] = []
  /// The latest `devicesMax` devices, sorted by identifier. Removed devices are included, because
  /// their registration may arrive after the removal.
  package var devices: [Device] = []
  /// The notifications that apps have requested and that are not finished.
  package var requests = Requests()
  /// The requests that apps have cancelled, sorted by identity.
  package var cancelledRequests: [CancelledRequest] = []
  /// The reminders whose series the recipient has ended, sorted by reminder.
  package var stops: [Stop] = []
  /// The series of single entities that the recipient has ended or resumed, sorted by reminder and
  /// identifier.
  package var entityStops: [EntitySeriesCommand] = []
  /// The settings of single entities, sorted by identifier and path.
  package internal(set) var entitySettings: [EntitySetting] = []
  /// The remembered single reports, sorted by type, identifier and stamp.
  package var items: [Item] = []
  /// The times at which the recipient recently opened notifications.
  package var opens = Opens()
  /// The relations to other people, sorted by direction, person and role.
  package internal(set) var relations: [Relation] = []
  /// The contexts of distributed tracing of events, in the events' order of arrival.
  package var traces: [Trace] = []
  /// The seed of the recipient's random choices, which each `Recipient` sets.
  var seed = RecipientSeed()

  package init() {}

  package struct ProfileRegister: Hashable, Sendable {
    package var field: ProfileField
    /// The text that the profile has; nil if an event has cleared the field.
    package var value: String?
    package var stamp: Stamp
  }

  package struct SettingRegister: Hashable, Sendable {
    package var path: Symbol
    /// The number that the setting's `SettingKind` stores; `SettingKind.unset` for JSON's null.
    package var value: Int64
    package var stamp: Stamp
  }

  /// The end of a reminder's series, until the recipient resumes the series or switches the
  /// reminder's group on again.
  package struct Stop: Hashable, Sendable {
    package var reminder: Symbol
    package var stamp: Stamp

    /// Returns the path of a setting that records a resumption. Preferences documents do not show
    /// this setting.
    package static func resumption(of reminder: Symbol) -> Symbol {
      Symbol("resumed.\(reminder.code)")
    }
  }

  /// The version of the preferences: the order of arrival of the latest write; 0 if there is none.
  /// The link to the calendar is no preference.
  package var preferencesVersion: Int64 {
    let latest = settings.reduce(0) {
      $1.path == CalendarLink.path ? $0 : max($0, $1.stamp.order)
    }
    let latestVacation = vacations.reduce(latest) { max($0, $1.stamp.order) }
    return entitySettings.reduce(latestVacation) { max($0, $1.stamp.order) }
  }

  /// Returns the text of a field; nil if the profile has none.
  package func profile(_ field: ProfileField) -> String? {
    profile.first { $0.field == field }?.value
  }

  /// The name of the recipient's zone; nil if the service's default zone applies (rule T4).
  package var zoneName: String? { profile(.timezone) }

  /// Returns the summary of the events of a type; nil if none has arrived.
  package func mark(_ type: Symbol) -> Mark? {
    marks.first { $0.type == type }
  }

  /// Returns the stamp of the latest event of any of the types.
  package func latest(of types: [Symbol]) -> Stamp? {
    var latest: Stamp?
    for mark in marks where types.contains(mark.type) {
      latest = max(latest ?? mark.last, mark.last)
    }
    return latest
  }
}

/// A device on which the recipient has the app. Of several reports about it, the latest stamp wins.
package struct Device: Hashable, Sendable {
  /// The id that the app has given the device.
  package var identifier: String
  /// The platform as the app reports it, such as `ios`; empty if the device was removed.
  package var platform: String
  /// The token of the push service, or the text of its `WebPushSubscription`; nil if the device was
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

/// The permission for a channel on the recipient's device. It is stored as a setting, which
/// preferences documents cannot write.
package enum Permission: Int64, CaseIterable, Sendable {
  /// The device's system has not asked the recipient yet, or the recipient has allowed or refused
  /// the channel.
  case undetermined, granted, denied

  package init?(name: String) {
    guard let permission = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = permission
  }

  package var name: String { "\(self)" }

  /// Returns the path of a channel's permission among the settings.
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
  /// Returns the reported permission for a channel; `undetermined` if none was reported.
  package func permission(of channel: Channel) -> Permission {
    let path = Permission.path(of: channel)
    let register = settings.first { $0.path == path }
    return register.flatMap { Permission(rawValue: $0.value) } ?? .undetermined
  }
}

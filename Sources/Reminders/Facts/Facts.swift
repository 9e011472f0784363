/// A recipient's state, folded from events by their time (rule E1).
///
/// Every part is a register where the latest stamp wins, or a minimum or maximum of stamps. So
/// folding is commutative, and late events are folded without reading the history again.
package struct Facts: Hashable, Sendable {
  /// The stamp of the earliest event; nil for a recipient without events.
  package var created: Stamp?
  /// Sorted by field.
  package var profile: [ProfileRegister] = []
  /// Sorted by path.
  package var settings: [SettingRegister] = []
  /// Sorted by type.
  package var marks: [Mark] = []
  /// The latest `devicesMax` devices, sorted by identifier. Includes removed ones, because their
  /// registration may arrive after the removal.
  package var devices: [Device] = []
  /// The notifications that apps have requested and that are not finished.
  package var requests = Requests()
  /// The requests that apps have cancelled, sorted by identity.
  package var withdrawals: [Withdrawal] = []
  /// The reminders whose series the recipient has ended, sorted by reminder.
  package var stops: [Stop] = []
  /// The series of single entities that the recipient has ended or resumed, sorted by reminder and
  /// identifier.
  package var entityStops: [EntityStop] = []
  /// Sorted by type, identifier and stamp.
  package var items: [Item] = []
  /// The times at which the recipient recently opened notifications.
  package var opens = Opens()
  /// Sorted by order.
  package var traces: [Trace] = []

  package init() {}

  package struct ProfileRegister: Hashable, Sendable {
    package var field: ProfileField
    package var value: String?
    package var stamp: Stamp
  }

  package struct SettingRegister: Hashable, Sendable {
    package var path: Symbol
    package var value: Int64
    package var stamp: Stamp
  }

  /// The end of a reminder's series, until it is resumed or its group is switched on again.
  package struct Stop: Hashable, Sendable {
    package var reminder: Symbol
    package var stamp: Stamp

    /// The path of a resumption. It is a setting that preferences documents do not show.
    package static func resumption(of reminder: Symbol) -> Symbol {
      Symbol("resumed.\(reminder.code)")
    }
  }

  /// The version of the preferences: the order of arrival of the latest write; 0 without one.
  package var preferencesVersion: Int64 {
    settings.reduce(0) { max($0, $1.stamp.order) }
  }

  package func profile(_ field: ProfileField) -> String? {
    profile.first { $0.field == field }?.value
  }

  /// The recipient's own zone name; nil where the service's default applies (rule T4).
  package var zoneName: String? { profile(.timezone) }

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

/// A device on which the recipient has the app. A register: the latest stamp wins.
package struct Device: Hashable, Sendable {
  /// The id that the app has given it.
  package var identifier: String
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

/// The permission for a channel on the recipient's device. A register among the settings, which
/// preferences documents cannot write.
package enum Permission: Int64, CaseIterable, Sendable {
  case undetermined, granted, denied

  package init?(name: String) {
    guard let permission = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = permission
  }

  package var name: String { "\(self)" }

  /// The path of a channel's permission among the settings.
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

/// A summary of one recipient's events of one type, in a few bytes. It suffices for every trigger
/// and does not depend on the order of arrival.
package struct Mark: Hashable, Sendable {
  package let type: Symbol
  package private(set) var first: Stamp
  package private(set) var last: Stamp
  /// The highest number so far, with the stamp of the first event that reached it.
  package private(set) var peak: Numbered?
  /// The latest report of each number, by number.
  package private(set) var reports: [Numbered]

  package struct Numbered: Hashable, Sendable {
    package var number: Int64
    package var stamp: Stamp
    /// Whether the recipient was in the app at that time.
    package var isInteractive = false
  }

  package init(
    type: Symbol, first: Stamp, last: Stamp, peak: Numbered? = nil, reports: [Numbered] = []
  ) {
    self.type = type
    self.first = first
    self.last = last
    self.peak = peak
    self.reports = reports
  }

  package init(type: Symbol, at stamp: Stamp) {
    self.init(type: type, first: stamp, last: stamp)
  }

  /// Adds an event of the type. Commutative, because only minima and maxima are stored.
  package mutating func record(
    _ stamp: Stamp, number: Int64?, memory: EventSchema.Memory?, isInteractive: Bool = false
  ) {
    first = min(first, stamp)
    last = max(last, stamp)
    guard let number, let memory else { return }
    switch memory {
    case .highest: raisePeak(to: number, at: stamp)
    case .each:
      report(Numbered(number: number, stamp: stamp, isInteractive: isInteractive))
    }
  }

  /// Returns the latest report of a number.
  ///
  /// - Complexity: linear in the reported numbers.
  package func report(of number: Int64) -> Numbered? {
    reports.first { $0.number == number }
  }

  private mutating func raisePeak(to number: Int64, at stamp: Stamp) {
    guard let current = peak, current.number >= number else {
      peak = Numbered(number: number, stamp: stamp)
      return
    }
    if current.number == number, stamp < current.stamp { peak?.stamp = stamp }
  }

  private mutating func report(_ new: Numbered) {
    let index = reports.firstIndex { $0.number >= new.number } ?? reports.endIndex
    guard index < reports.endIndex, reports[index].number == new.number else {
      return reports.insert(new, at: index)
    }
    if reports[index].stamp < new.stamp { reports[index] = new }
  }
}

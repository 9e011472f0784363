/// All that is known of a recipient, folded from events by their time (rule E1).
///
/// Every part is a register where the latest stamp wins, or a minimum or a maximum of stamps, so
/// folding is commutative: late and out-of-order events need no history to be read again.
package struct Facts: Hashable, Sendable {
  /// The earliest event; nil for a recipient of whom nothing has been reported.
  package var created: Stamp?
  /// Sorted by field.
  package var profile: [ProfileRegister] = []
  /// Sorted by path.
  package var settings: [SettingRegister] = []
  /// Sorted by type.
  package var marks: [Mark] = []
  /// Sorted by identifier; the removed ones too, for a registration may arrive late.
  package var devices: [Device] = []
  /// What apps want said that is not settled yet, sorted by key.
  package var requests: [RequestedNotification] = []
  /// What apps took back, sorted by identity.
  package var withdrawals: [Withdrawal] = []
  /// The reminders whose series the person has ended, sorted by reminder.
  package var stops: [Stop] = []
  /// Sorted by type, identifier and stamp.
  package var items: [Item] = []
  /// When the person opened notifications of late.
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

  /// The end of a series of one reminder; switching its group on again takes it up again.
  package struct Stop: Hashable, Sendable {
    package var reminder: Symbol
    package var stamp: Stamp
  }

  /// Which write the preferences are at: the place of the latest in the order of arrival, or 0.
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

  /// The latest event of any of the types.
  package func latest(of types: [Symbol]) -> Stamp? {
    var latest: Stamp?
    for mark in marks where types.contains(mark.type) {
      latest = max(latest ?? mark.last, mark.last)
    }
    return latest
  }
}

/// The link to a recipient's calendar (rule H29). Its number is stored as a setting, which
/// preferences documents cannot write.
package struct CalendarLink: Hashable, Sendable {
  /// The numbers of links: those that JSON numbers can express exactly.
  package static let numbers: ClosedRange<Int64> = 1...(1 << 53) - 1

  /// The random number that the link's token contains.
  package let number: Int64
  /// When the link was created.
  package let stamp: Stamp

  static let path = Symbol("calendar.link")
}

extension Facts {
  /// The current link to the recipient's calendar; nil if there is none.
  package var calendarLink: CalendarLink? {
    guard let register = settings.first(where: { $0.path == CalendarLink.path }),
      CalendarLink.numbers.contains(register.value)
    else { return nil }
    return CalendarLink(number: register.value, stamp: register.stamp)
  }
}

extension SettingChange {
  /// - Parameter number: the number of the new link to the recipient's calendar; nil to revoke the
  ///   link.
  init(calendarLink number: Int64?) {
    self.init(path: CalendarLink.path, value: number ?? SettingKind.unset)
  }
}

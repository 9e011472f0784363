package import CivilTime
package import JSON

/// A window of quiet hours: from a start up to an end, on some days of the week (rules P7, P9).
package struct QuietWindow: Hashable, Sendable {
  package let start: LocalTime
  /// The minute of the day at which the window ends: 1...1440. If it is before `start`, the window
  /// ends on the next date. It is never equal to `start`.
  package let endMinute: Int
  /// The days on which the window starts, as bits of `Weekday.bit`.
  package let days: Int64

  package init(start: LocalTime, endMinute: Int, days: Int64 = 0b111_1111) {
    (self.start, self.endMinute, self.days) = (start, endMinute, days)
  }

  /// The end as documents have it: "24:00" for the end of the date.
  package var endText: String {
    LocalTime(minuteOfDay: endMinute).map { "\($0)" } ?? "24:00"
  }

  /// The maximum span by which clocks are set back, in minutes.
  private static let longestFold = 180

  private var startMinute: Int { start.minuteOfDay }

  /// Returns the window that starts on a date; nil if none does, or if a change of clocks skips it.
  ///
  /// A window is [start, end) between two instants, each computed by rule T2. So on the day of a
  /// clock change, the window's length follows the local clock.
  func interval(startingOn date: LocalDate, in zone: Zone) -> Range<Instant>? {
    guard days & date.weekday.bit != 0 else { return nil }
    let last = endMinute > startMinute ? date : date + 1
    let begin = zone.instant(of: date, at: start)
    let end =
      LocalTime(minuteOfDay: endMinute).map { zone.instant(of: last, at: $0) }
      ?? zone.instant(of: last + 1, at: .midnight)
    return begin < end ? begin..<end : nil
  }

  /// Returns the interval that contains an instant; nil if none does. The interval starts on the
  /// instant's local date or the previous date. If clocks are set back over midnight, it may also
  /// start on the next date.
  ///
  /// - Parameter today: the local date of the instant.
  func interval(at instant: Instant, on today: LocalDate, in zone: Zone) -> Range<Instant>? {
    for days in -1...(startMinute < Self.longestFold ? 1 : 0) {
      if let interval = interval(startingOn: today + days, in: zone), interval.contains(instant) {
        return interval
      }
    }
    return nil
  }

  /// Returns the end of the window that ends on a date between midnight and noon; nil if none does.
  func morningEnd(on date: LocalDate, in zone: Zone) -> Instant? {
    let first = startMinute < endMinute ? date : date - 1
    guard (1..<720).contains(endMinute), let end = LocalTime(minuteOfDay: endMinute),
      days & first.weekday.bit != 0
    else { return nil }
    return zone.instant(of: date, at: end)
  }
}

// MARK: - Storage

extension QuietWindow {
  /// The maximum number of further windows, which a recipient may have besides the first.
  package static let countMax = 8
  /// The paths of the settings that contain the further windows. A write sets all of them.
  private static let paths = (0..<countMax).map { Symbol("quietHours.windows.\($0)") }

  /// Returns the changes that replace the further windows.
  package static func changes(to windows: [QuietWindow]) -> [SettingChange] {
    paths.enumerated().map { index, path in
      let code = index < windows.count ? windows[index].code : SettingKind.unset
      return SettingChange(path: path, value: code)
    }
  }

  /// Returns the further windows that changes set; nil if they do not change the windows.
  package static func windows(in changes: [SettingChange]) -> [QuietWindow]? {
    guard changes.contains(where: { isPath($0.path) }) else { return nil }
    return paths.compactMap { path in
      changes.last { $0.path == path }.flatMap { QuietWindow(code: $0.value) }
    }
  }

  static func isPath(_ path: Symbol) -> Bool { paths.contains(path) }

  /// Returns the further windows in a recipient's settings.
  static func windows(in registers: [Facts.SettingRegister]) -> [QuietWindow] {
    let known = registers.filter { isPath($0.path) }
    guard !known.isEmpty else { return [] }
    return windows(in: known.map { SettingChange(path: $0.path, value: $0.value) }) ?? []
  }

  private var code: Int64 { days | Int64(startMinute) << 7 | Int64(endMinute) << 18 }

  private init?(code: Int64) {
    guard code != SettingKind.unset,
      let start = LocalTime(minuteOfDay: Int(code >> 7 & 0x7ff))
    else { return nil }
    self.init(start: start, endMinute: Int(code >> 18 & 0x7ff), days: code & 0x7f)
  }
}

// MARK: - Documents

extension QuietWindow {
  private static let members = ["days", "start", "end"]

  /// The window as the preferences document has it.
  package var document: JSONValue {
    [
      "days": SettingKind.days.value(of: days), "start": .string("\(start)"),
      "end": .string(endText),
    ]
  }

  /// Reads the list of further windows.
  static func windows(_ value: JSONValue, at path: String) throws(Refusal) -> [QuietWindow] {
    guard let items = value.arrayValue else {
      throw Refusal(path: path, "must be a list of windows; it is \(value.kind)")
    }
    guard items.count <= countMax else {
      throw Refusal(path: path, "has \(items.count) windows; at most \(countMax) are allowed")
    }
    var windows: [QuietWindow] = []
    for (index, item) in items.enumerated() {
      windows.append(try QuietWindow(item, at: "\(path)[\(index)]"))
    }
    return windows
  }

  private init(_ value: JSONValue, at path: String) throws(Refusal) {
    guard let object = value.objectValue else {
      throw Refusal(
        path: path, "must be an object such as {\"start\": \"13:00\", \"end\": \"15:00\"}")
    }
    for member in object where !Self.members.contains(member.key) {
      throw Refusal(
        path: "\(path).\(member.key)", "is not known" + hint(member.key, Self.members))
    }
    let days = try SettingKind.days.number(
      from: object["days"] ?? SettingKind.days.value(of: 0b111_1111), at: "\(path).days")
    guard days != 0 else {
      throw Refusal(
        path: "\(path).days", "must name at least one day; remove the window to have none")
    }
    let start = try SettingKind.time.number(from: object["start"] ?? .null, at: "\(path).start")
    let end = try Self.endMinute(object["end"] ?? .null, at: "\(path).end")
    guard start != end else {
      throw Refusal(
        path: path,
        "is refused: \(Refusal.equalTimes); a whole day is from \"00:00\" to \"24:00\"")
    }
    self.init(
      start: LocalTime(minuteOfDay: Int(start)) ?? .midnight, endMinute: end == 0 ? 1_440 : end,
      days: days)
  }

  private static func endMinute(_ value: JSONValue, at path: String) throws(Refusal) -> Int {
    value.stringValue == "24:00" ? 1_440 : Int(try SettingKind.time.number(from: value, at: path))
  }
}

import CivilTime

extension Facts {
  /// The version of the row's format. Each version adds a part to the previous one.
  private enum FormatVersion: UInt8 {
    case plain = 1
    /// The version that adds the times at which notifications were opened.
    case withOpens = 2
    /// The version that adds the contexts of distributed tracing.
    case withTraces = 3
    /// The version that adds the series of single entities that the recipient has ended.
    case withEntityStops = 4
    /// The version that adds announced vacations.
    case withVacations = 5
    /// The version that adds relations.
    case withRelations = 6
    /// The version that adds the settings of single entities.
    case withEntitySettings = 7
  }

  /// The facts in the compact format of the store, with times relative to `created`. Requests with
  /// separate rows (`Requests.rows`) are excluded.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    let version = formatVersion
    writer.unsigned(UInt64(version.rawValue))
    let base = created?.time.milliseconds ?? 0
    writer.count(created == nil ? 0 : 1)
    if let created { writer.stamp(created, since: 0) }
    writer.count(profile.count)
    for register in profile { register.write(to: &writer, since: base) }
    writer.count(settings.count)
    for register in settings { register.write(to: &writer, since: base) }
    writer.count(marks.count)
    for mark in marks { mark.write(to: &writer, since: base) }
    writer.count(devices.count)
    for device in devices { device.write(to: &writer, since: base) }
    requests.write(to: &writer)
    writer.count(cancelledRequests.count)
    for withdrawal in cancelledRequests { withdrawal.write(to: &writer, since: base) }
    writer.count(stops.count)
    for stop in stops {
      writer.symbol(stop.reminder)
      writer.stamp(stop.stamp, since: base)
    }
    writer.count(items.count)
    for item in items { item.write(to: &writer, since: base) }
    guard version != .plain else { return writer.bytes }
    opens.write(to: &writer, since: base)
    guard version != .withOpens else { return writer.bytes }
    writer.count(traces.count)
    for trace in traces { trace.write(to: &writer) }
    guard version != .withTraces else { return writer.bytes }
    writer.count(entityStops.count)
    for stop in entityStops { stop.write(to: &writer, since: base) }
    guard version != .withEntityStops else { return writer.bytes }
    writer.count(vacations.count)
    for vacation in vacations { vacation.write(to: &writer, since: base) }
    guard version != .withVacations else { return writer.bytes }
    writer.count(relations.count)
    for relation in relations { relation.write(to: &writer, since: base) }
    guard version != .withRelations else { return writer.bytes }
    writer.count(entitySettings.count)
    for setting in entitySettings { setting.write(to: &writer, since: base) }
    return writer.bytes
  }

  /// The first version that has all parts that are not empty.
  private var formatVersion: FormatVersion {
    if !entitySettings.isEmpty { return .withEntitySettings }
    if !relations.isEmpty { return .withRelations }
    if !vacations.isEmpty { return .withVacations }
    if !entityStops.isEmpty { return .withEntityStops }
    if !traces.isEmpty { return .withTraces }
    return opens.isEmpty ? .plain : .withOpens
  }

  package init(decoding bytes: UnsafeRawBufferPointer) throws(CodingFailure) {
    self.init()
    var reader = ByteReader(bytes)
    let number = try reader.byte()
    guard let version = FormatVersion(rawValue: number) else {
      throw CodingFailure.version(number)
    }
    if try reader.count() == 1 { created = try reader.stamp(since: 0) }
    let base = created?.time.milliseconds ?? 0
    for _ in 0..<(try reader.count()) {
      profile.append(try ProfileRegister(from: &reader, since: base))
    }
    for _ in 0..<(try reader.count()) {
      settings.append(try SettingRegister(from: &reader, since: base))
    }
    for _ in 0..<(try reader.count()) { marks.append(try Mark(from: &reader, since: base)) }
    for _ in 0..<(try reader.count()) {
      devices.append(try Device(from: &reader, since: base))
    }
    requests = try Requests(from: &reader)
    for _ in 0..<(try reader.count()) {
      cancelledRequests.append(try CancelledRequest(from: &reader, since: base))
    }
    for _ in 0..<(try reader.count()) {
      stops.append(
        Stop(reminder: try reader.symbol(), stamp: try reader.stamp(since: base)))
    }
    for _ in 0..<(try reader.count()) {
      items.append(try Item(from: &reader, since: base))
    }
    if version != .plain { opens = try Opens(from: &reader, since: base) }
    if version.rawValue >= FormatVersion.withTraces.rawValue {
      for _ in 0..<(try reader.count()) { traces.append(try Trace(from: &reader)) }
    }
    if version.rawValue >= FormatVersion.withEntityStops.rawValue {
      for _ in 0..<(try reader.count()) {
        entityStops.append(try EntitySeriesCommand(from: &reader, since: base))
      }
    }
    if version.rawValue >= FormatVersion.withVacations.rawValue {
      for _ in 0..<(try reader.count()) {
        vacations.append(try AnnouncedVacation(from: &reader, since: base))
      }
    }
    if version.rawValue >= FormatVersion.withRelations.rawValue {
      for _ in 0..<(try reader.count()) {
        relations.append(try Relation(from: &reader, since: base))
      }
    }
    if version == .withEntitySettings {
      for _ in 0..<(try reader.count()) {
        entitySettings.append(try EntitySetting(from: &reader, since: base))
      }
    }
    try reader.finish()
  }
}

extension ByteWriter {
  mutating func stamp(_ stamp: Stamp, since base: Int64) {
    signed(stamp.time.milliseconds &- base)
    signed(stamp.order)
  }

  fileprivate mutating func numbered(_ numbered: Mark.Numbered, since base: Int64) {
    signed(numbered.number << 1 | (numbered.isInteractive ? 1 : 0))
    stamp(numbered.stamp, since: base)
  }
}

extension ByteReader {
  mutating func stamp(since base: Int64) throws(CodingFailure) -> Stamp {
    let time = Instant(milliseconds: try signed() &+ base)
    return Stamp(time: time, order: try signed())
  }

  fileprivate mutating func numbered(since base: Int64) throws(CodingFailure) -> Mark.Numbered {
    let number = try signed()
    return Mark.Numbered(
      number: number >> 1, stamp: try stamp(since: base), isInteractive: number & 1 == 1)
  }
}

extension Facts.ProfileRegister {
  fileprivate func write(to writer: inout ByteWriter, since base: Int64) {
    writer.unsigned(UInt64(field.rawValue))
    writer.count(value == nil ? 0 : 1)
    if let value { writer.text(value) }
    writer.stamp(stamp, since: base)
  }

  fileprivate init(from reader: inout ByteReader, since base: Int64) throws(CodingFailure) {
    let number = try reader.byte()
    guard let field = ProfileField(rawValue: number) else { throw CodingFailure.version(number) }
    let value: String? = try reader.count() == 1 ? try reader.text() : nil
    self.init(field: field, value: value, stamp: try reader.stamp(since: base))
  }
}

extension Facts.SettingRegister {
  fileprivate func write(to writer: inout ByteWriter, since base: Int64) {
    writer.symbol(path)
    writer.signed(value)
    writer.stamp(stamp, since: base)
  }

  fileprivate init(from reader: inout ByteReader, since base: Int64) throws(CodingFailure) {
    self.init(
      path: try reader.symbol(), value: try reader.signed(), stamp: try reader.stamp(since: base))
  }
}

extension Mark {
  fileprivate func write(to writer: inout ByteWriter, since base: Int64) {
    writer.symbol(type)
    writer.stamp(first, since: base)
    writer.stamp(last, since: base)
    writer.count(peak == nil ? 0 : 1)
    if let peak { writer.numbered(peak, since: base) }
    writer.count(reports.count)
    for report in reports { writer.numbered(report, since: base) }
  }

  fileprivate init(from reader: inout ByteReader, since base: Int64) throws(CodingFailure) {
    let type = try reader.symbol()
    let first = try reader.stamp(since: base)
    let last = try reader.stamp(since: base)
    let peak = try reader.count() == 1 ? try reader.numbered(since: base) : nil
    var reports: [Numbered] = []
    for _ in 0..<(try reader.count()) { reports.append(try reader.numbered(since: base)) }
    self.init(type: type, first: first, last: last, peak: peak, reports: reports)
  }
}

extension Device {
  func write(to writer: inout ByteWriter, since base: Int64) {
    writer.text(identifier)
    writer.text(platform)
    writer.count(token == nil ? 0 : 1)
    if let token { writer.text(token) }
    writer.stamp(stamp, since: base)
  }

  init(from reader: inout ByteReader, since base: Int64) throws(CodingFailure) {
    let identifier = try reader.text()
    let platform = try reader.text()
    let token: String? = try reader.count() == 1 ? try reader.text() : nil
    self.init(
      identifier: identifier, platform: platform, token: token,
      stamp: try reader.stamp(since: base))
  }
}

extension CancelledRequest {
  func write(to writer: inout ByteWriter, since base: Int64) {
    writer.identity(identity)
    writer.count(key == nil ? 0 : 1)
    if let key { writer.signed(key) }
    writer.stamp(stamp, since: base)
  }

  init(from reader: inout ByteReader, since base: Int64) throws(CodingFailure) {
    identity = try reader.identity()
    key = try reader.count() == 1 ? try reader.signed() : nil
    stamp = try reader.stamp(since: base)
  }
}

extension ByteWriter {
  fileprivate mutating func identity(_ identity: EventIdentity) {
    text(identity.source.text)
    text(identity.identifier.text)
  }
}

extension ByteReader {
  fileprivate mutating func identity() throws(CodingFailure) -> EventIdentity {
    EventIdentity(source: try text(), identifier: try text())
  }
}

import CivilTime

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

extension RequestedNotification {
  func write(to writer: inout ByteWriter, since base: Int64) {
    writer.identity(identity)
    writer.stamp(stamp, since: base)
    content.write(to: &writer, since: base)
  }

  init(from reader: inout ByteReader, since base: Int64) throws(CodingFailure) {
    identity = try reader.identity()
    stamp = try reader.stamp(since: base)
    content = try Content(from: &reader, since: base)
  }
}

extension Withdrawal {
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

extension RequestedNotification.Content {
  fileprivate func write(to writer: inout ByteWriter, since base: Int64) {
    writer.symbol(category)
    writer.signed(planned.milliseconds &- base)
    writer.signed(expires.milliseconds)
    writer.unsigned(UInt64(channels.rawValue))
    writer.count(isInteractive ? 1 : 0)
    writer.text(title)
    writer.text(body)
    writer.text(details)
  }

  fileprivate init(from reader: inout ByteReader, since base: Int64) throws(CodingFailure) {
    category = try reader.symbol()
    planned = Instant(milliseconds: try reader.signed() &+ base)
    expires = TimeSpan(milliseconds: try reader.signed())
    channels = ChannelSet(rawValue: UInt8(truncatingIfNeeded: try reader.unsigned()))
    isInteractive = try reader.count() == 1
    title = try reader.text()
    body = try reader.text()
    details = try reader.text()
  }
}

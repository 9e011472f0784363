import CSystemd

/// A connection to a session bus; for one thread at a time.
final class SessionBus {
  private let bus: OpaquePointer

  init(address: String) throws(BusFailure) {
    var bus: OpaquePointer?
    let result = sd_bus_new(&bus)
    guard result >= 0, let bus else { throw BusFailure("a connection", code: result) }
    self.bus = bus
    try Self.check("the bus \(address)", sd_bus_set_address(bus, address))
    try Self.check("the bus \(address)", sd_bus_set_bus_client(bus, 1))
    try Self.check("the bus \(address)", sd_bus_start(bus))
  }

  deinit { sd_bus_flush_close_unref(bus) }

  private static func check(_ attempt: String, _ result: Int32) throws(BusFailure) {
    if result < 0 { throw BusFailure(attempt, code: result) }
  }

  /// Discards messages that arrived unrequested.
  func clear() {
    while sd_bus_process(bus, nil) > 0 {}
  }

  /// Calls a method of the notification server.
  ///
  /// - Parameter timeout: the time limit for the server's reply.
  func call(
    _ method: String, timeout: Duration, _ write: (BusWriter) -> Void = { _ in }
  ) throws(BusFailure) -> BusReply {
    var message: OpaquePointer?
    let result = sd_bus_message_new_method_call(
      bus, &message, "org.freedesktop.Notifications", "/org/freedesktop/Notifications",
      "org.freedesktop.Notifications", method)
    guard result >= 0, let message else { throw BusFailure(method, code: result) }
    defer { sd_bus_message_unref(message) }
    let writer = BusWriter(message)
    write(writer)
    guard writer.result >= 0 else { throw BusFailure(unwritable: method, code: writer.result) }
    return try send(message, method, timeout)
  }

  private func send(
    _ message: OpaquePointer, _ method: String, _ timeout: Duration
  ) throws(BusFailure) -> BusReply {
    var error = sd_bus_error()
    defer { sd_bus_error_free(&error) }
    var reply: OpaquePointer?
    let microseconds = UInt64(max(1, timeout / .microseconds(1)))
    let result = sd_bus_call(bus, message, microseconds, &error, &reply)
    guard result >= 0, let reply else {
      throw BusFailure(
        method, code: result, name: error.name.map { String(cString: $0) } ?? "",
        message: error.message.map { String(cString: $0) })
    }
    return BusReply(reply)
  }
}

/// Appends arguments to a message.
final class BusWriter {
  private let message: OpaquePointer
  /// Negative if any append has failed.
  private(set) var result: Int32 = 0

  init(_ message: OpaquePointer) {
    self.message = message
  }

  private func note(_ result: Int32) {
    if self.result >= 0 { self.result = result }
  }

  func append(_ text: String) { note(write(text)) }

  private func write(_ text: String) -> Int32 {
    Self.permitted(text).withCString { sd_bus_message_append_basic(message, Self.text, $0) }
  }

  /// Replaces the characters that D-Bus (NUL) and systemd (Unicode noncharacters) do not allow.
  private static func permitted(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
      scalar == "\0" || scalar.properties.isNoncharacterCodePoint ? "\u{FFFD}" : scalar
    }
    return String(String.UnicodeScalarView(scalars))
  }

  func append(_ number: UInt32) {
    note(withUnsafePointer(to: number) { sd_bus_message_append_basic(message, Self.number, $0) })
  }

  func append(_ number: Int32) {
    note(withUnsafePointer(to: number) { sd_bus_message_append_basic(message, Self.signed, $0) })
  }

  func appendEmptyList() {
    open(Self.array, "s")
    close()
  }

  /// Appends a mapping of texts to variants.
  func appendMapping(_ body: () -> Void) {
    open(Self.array, "{sv}")
    body()
    close()
  }

  func append(_ key: String, byte: UInt8) {
    append(key, "y") {
      withUnsafePointer(to: byte) { sd_bus_message_append_basic(message, Self.byte, $0) }
    }
  }

  func append(_ key: String, toggle: Bool) {
    append(key, "b") {
      withUnsafePointer(to: Int32(toggle ? 1 : 0)) {
        sd_bus_message_append_basic(message, Self.toggle, $0)
      }
    }
  }

  func append(_ key: String, text: String) {
    append(key, "s") { write(text) }
  }

  private func append(_ key: String, _ type: String, _ write: () -> Int32) {
    open(Self.entry, "sv")
    append(key)
    open(Self.variant, type)
    note(write())
    close()
    close()
  }

  private func open(_ type: CChar, _ contents: String) {
    note(sd_bus_message_open_container(message, type, contents))
  }

  private func close() { note(sd_bus_message_close_container(message)) }

  private static let text = CChar(UInt8(ascii: "s"))
  private static let number = CChar(UInt8(ascii: "u"))
  private static let signed = CChar(UInt8(ascii: "i"))
  private static let byte = CChar(UInt8(ascii: "y"))
  private static let toggle = CChar(UInt8(ascii: "b"))
  private static let array = CChar(UInt8(ascii: "a"))
  private static let entry = CChar(UInt8(ascii: "e"))
  private static let variant = CChar(UInt8(ascii: "v"))
}

/// The reply to a method call.
final class BusReply {
  private let message: OpaquePointer

  init(_ message: OpaquePointer) {
    self.message = message
  }

  deinit { sd_bus_message_unref(message) }

  /// The number that the reply contains; nil if it contains anything else.
  func number() -> UInt32? {
    var number: UInt32 = 0
    let result = sd_bus_message_read_basic(message, CChar(UInt8(ascii: "u")), &number)
    return result > 0 ? number : nil
  }

  /// The texts that the reply lists; empty if it contains anything else.
  func texts() -> [String] {
    guard sd_bus_message_enter_container(message, CChar(UInt8(ascii: "a")), "s") > 0 else {
      return []
    }
    var texts: [String] = []
    var text: UnsafePointer<CChar>?
    while sd_bus_message_read_basic(message, CChar(UInt8(ascii: "s")), &text) > 0, let text {
      texts.append(String(cString: text))
    }
    return texts
  }
}

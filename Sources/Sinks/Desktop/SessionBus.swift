import CSystemd

/// A connection to a session bus; for one thread at a time.
final class SessionBus {
  private let bus: OpaquePointer

  init(address: String) throws(BusError) {
    var bus: OpaquePointer?
    let result = sd_bus_new(&bus)
    guard result >= 0, let bus else { throw BusError("a connection", code: result) }
    self.bus = bus
    try Self.check("the bus \(address)", sd_bus_set_address(bus, address))
    try Self.check("the bus \(address)", sd_bus_set_bus_client(bus, 1))
    try Self.check("the bus \(address)", sd_bus_start(bus))
  }

  deinit { sd_bus_flush_close_unref(bus) }

  private static func check(_ attempt: String, _ result: Int32) throws(BusError) {
    if result < 0 { throw BusError(attempt, code: result) }
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
  ) throws(BusError) -> BusReply {
    var message: OpaquePointer?
    let result = sd_bus_message_new_method_call(
      bus, &message, "org.freedesktop.Notifications", "/org/freedesktop/Notifications",
      "org.freedesktop.Notifications", method)
    guard result >= 0, let message else { throw BusError(method, code: result) }
    defer { sd_bus_message_unref(message) }
    let writer = BusWriter(message)
    write(writer)
    guard writer.result >= 0 else { throw BusError(unwritable: method, code: writer.result) }
    return try send(message, method, timeout)
  }

  private func send(
    _ message: OpaquePointer, _ method: String, _ timeout: Duration
  ) throws(BusError) -> BusReply {
    var error = sd_bus_error()
    defer { sd_bus_error_free(&error) }
    var reply: OpaquePointer?
    let microseconds = UInt64(max(1, timeout / .microseconds(1)))
    let result = sd_bus_call(bus, message, microseconds, &error, &reply)
    guard result >= 0, let reply else {
      throw BusError(
        method, code: result, name: error.name.map { String(cString: $0) } ?? "",
        message: error.message.map { String(cString: $0) })
    }
    return BusReply(reply)
  }
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

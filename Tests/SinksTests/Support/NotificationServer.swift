import CSystemd
import Glibc
import Synchronization
import Systemd
import Testing

/// A notification server on a bus, which records notifications and shows none.
final class NotificationServer: Sendable {
  struct Shown: Sendable {
    var replaces: UInt32 = 0
    var texts: [String] = []
    var hints: [String: String] = [:]
    var milliseconds: Int32 = 0
  }

  private let responder: Responder
  private let flag: Int32
  private let thread: Mutex<OperatingSystemThread?>

  init(address: String, isMarkup: Bool = true) throws {
    let responder = Responder(isMarkup: isMarkup)
    self.responder = responder
    flag = chime_flag_open()
    nonisolated(unsafe) let bus = try Self.connect(address)
    sd_bus_add_filter(bus, nil, answerToCall, Unmanaged.passUnretained(responder).toOpaque())
    try #require(sd_bus_request_name(bus, "org.freedesktop.Notifications", 0) >= 0)
    let flag = flag
    // The thread owns the responder but not this object, which ends the thread.
    thread = Mutex(
      try OperatingSystemThread(name: "desktop") {
        withExtendedLifetime(responder) { Self.run(bus, until: flag) }
      })
  }

  deinit {
    stop()
    close(flag)
  }

  var shown: [Shown] { responder.state.withLock { $0.shown } }

  func stopAnswering() { responder.state.withLock { $0.isSilent = true } }

  /// Answers each later notification with this error; accepts it if the error is nil.
  func refuse(with error: String?) { responder.state.withLock { $0.error = error } }

  /// Whether each later notification is accepted without a number.
  func omitNumbers(_ isOmitted: Bool) { responder.state.withLock { $0.omitsNumbers = isOmitted } }

  /// Leaves the bus.
  func stop() {
    let endingThread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    _ = chime_flag_raise(flag)
    endingThread?.join()
  }

  private static func connect(_ address: String) throws -> OpaquePointer {
    var bus: OpaquePointer?
    sd_bus_new(&bus)
    let connection = try #require(bus)
    sd_bus_set_address(connection, address)
    sd_bus_set_bus_client(connection, 1)
    try #require(sd_bus_start(connection) >= 0)
    return connection
  }

  private static func run(_ bus: OpaquePointer, until flag: Int32) {
    while true {
      while sd_bus_process(bus, nil) > 0 {}
      var requests = [
        pollfd(fd: sd_bus_get_fd(bus), events: Int16(sd_bus_get_events(bus)), revents: 0),
        pollfd(fd: flag, events: Int16(POLLIN), revents: 0),
      ]
      poll(&requests, 2, -1)
      if requests[1].revents != 0 { break }
    }
    sd_bus_flush_close_unref(bus)
  }
}

/// Answers calls on the server's thread.
private final class Responder: Sendable {
  struct State {
    var shown: [NotificationServer.Shown] = []
    var isSilent = false
    var omitsNumbers = false
    var error: String?
  }

  let state = Mutex(State())
  private let isMarkup: Bool

  init(isMarkup: Bool) {
    self.isMarkup = isMarkup
  }

  func answer(_ message: OpaquePointer) -> Int32 {
    let interface = "org.freedesktop.Notifications"
    if sd_bus_message_is_method_call(message, interface, "GetCapabilities") > 0 {
      return reply(to: message) { reply in
        sd_bus_message_open_container(reply, CChar(UInt8(ascii: "a")), "s")
        for text in isMarkup ? ["body", "body-markup"] : ["body"] {
          sd_bus_message_append_basic(reply, CChar(UInt8(ascii: "s")), text)
        }
        sd_bus_message_close_container(reply)
      }
    }
    guard sd_bus_message_is_method_call(message, interface, "Notify") > 0 else { return 0 }
    let (number, answer) = state.withLock { state in
      state.shown.append(NotificationServer.Shown(message))
      return (UInt32(100 + state.shown.count), state)
    }
    if answer.isSilent { return 1 }
    if let error = answer.error { return refuse(message, error) }
    return reply(to: message) { reply in
      if answer.omitsNumbers { return }
      withUnsafePointer(to: number) {
        _ = sd_bus_message_append_basic(reply, CChar(UInt8(ascii: "u")), $0)
      }
    }
  }

  private func refuse(
    _ message: OpaquePointer, _ name: String
  ) -> Int32 {
    name.withCString { name in
      var error = sd_bus_error(name: name, message: nil, _need_free: 0)
      return sd_bus_reply_method_error(message, &error)
    }
  }

  private func reply(to message: OpaquePointer, _ write: (OpaquePointer) -> Void) -> Int32 {
    var reply: OpaquePointer?
    guard sd_bus_message_new_method_return(message, &reply) >= 0, let reply else { return -1 }
    defer { sd_bus_message_unref(reply) }
    write(reply)
    return sd_bus_send(nil, reply, nil)
  }
}

private func answerToCall(
  _ message: OpaquePointer?, _ server: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  guard let message, let server else { return 0 }
  return Unmanaged<Responder>.fromOpaque(server).takeUnretainedValue().answer(message)
}

extension NotificationServer.Shown {
  /// Reads the arguments of a call: `susssasa{sv}i`.
  fileprivate init(_ message: OpaquePointer) {
    texts.append(Self.text(message))
    sd_bus_message_read_basic(message, CChar(UInt8(ascii: "u")), &replaces)
    for _ in 0..<3 { texts.append(Self.text(message)) }
    sd_bus_message_skip(message, "as")
    sd_bus_message_enter_container(message, CChar(UInt8(ascii: "a")), "{sv}")
    while sd_bus_message_enter_container(message, CChar(UInt8(ascii: "e")), "sv") > 0 {
      let key = Self.text(message)
      hints[key] = Self.value(message)
      sd_bus_message_exit_container(message)
    }
    sd_bus_message_exit_container(message)
    sd_bus_message_read_basic(message, CChar(UInt8(ascii: "i")), &milliseconds)
  }

  private static func text(_ message: OpaquePointer) -> String {
    var text: UnsafePointer<CChar>?
    sd_bus_message_read_basic(message, CChar(UInt8(ascii: "s")), &text)
    return text.map { String(cString: $0) } ?? ""
  }

  private static func value(_ message: OpaquePointer) -> String {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    sd_bus_message_peek_type(message, &type, &contents)
    let typeName = contents.map { String(cString: $0) } ?? ""
    sd_bus_message_enter_container(message, CChar(UInt8(ascii: "v")), contents)
    defer { sd_bus_message_exit_container(message) }
    switch typeName {
    case "y":
      var byte: UInt8 = 0
      sd_bus_message_read_basic(message, CChar(UInt8(ascii: "y")), &byte)
      return "\(byte)"
    case "b":
      var toggle: Int32 = 0
      sd_bus_message_read_basic(message, CChar(UInt8(ascii: "b")), &toggle)
      return toggle == 1 ? "true" : "false"
    default: return text(message)
    }
  }
}

import CSystemd

/// Appends arguments to a message.
final class BusWriter {
  private let message: OpaquePointer
  /// The first error code, which is negative; the last result if no append has failed.
  private(set) var result: Int32 = 0

  init(_ message: OpaquePointer) {
    self.message = message
  }

  private func record(_ result: Int32) {
    if self.result >= 0 { self.result = result }
  }

  func append(_ text: String) { record(write(text)) }

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
    record(withUnsafePointer(to: number) { sd_bus_message_append_basic(message, Self.number, $0) })
  }

  func append(_ number: Int32) {
    record(withUnsafePointer(to: number) { sd_bus_message_append_basic(message, Self.signed, $0) })
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

  /// Appends an entry to a mapping.
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
    record(write())
    close()
    close()
  }

  private func open(_ type: CChar, _ contents: String) {
    record(sd_bus_message_open_container(message, type, contents))
  }

  private func close() { record(sd_bus_message_close_container(message)) }

  // The type codes of the D-Bus protocol.
  private static let text = CChar(UInt8(ascii: "s"))
  private static let number = CChar(UInt8(ascii: "u"))
  private static let signed = CChar(UInt8(ascii: "i"))
  private static let byte = CChar(UInt8(ascii: "y"))
  private static let toggle = CChar(UInt8(ascii: "b"))
  private static let array = CChar(UInt8(ascii: "a"))
  private static let entry = CChar(UInt8(ascii: "e"))
  private static let variant = CChar(UInt8(ascii: "v"))
}

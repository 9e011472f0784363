/// A request's identity and texts in the stored form: id, source, title, body and details, each
/// after its length. The texts are decoded only when the notification is sent.
struct RequestTexts: Hashable, Sendable {
  /// The number of texts.
  private static let count = 5

  /// The five texts, each after its length.
  let bytes: ArraySlice<UInt8>

  init(_ identity: EventIdentity, _ content: RequestedNotification.Content) {
    var writer = ByteWriter()
    Self.write(identity, to: &writer)
    for text in [content.title, content.body, content.details] { writer.text(text) }
    bytes = writer.bytes[...]
  }

  /// - Parameter bytes: bytes that `skip` has checked.
  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// Skips the texts of one request, and checks their lengths.
  static func skip(in reader: inout ByteReader) throws(CodingFailure) {
    for _ in 0..<count { try reader.skipText() }
  }

  var identity: EventIdentity {
    let texts = texts
    return EventIdentity(source: texts[1], identifier: texts[0])
  }

  var words: (title: String, body: String, details: String) {
    let texts = texts
    return (texts[2], texts[3], texts[4])
  }

  /// The five texts. The bytes were checked when they were read, so decoding cannot fail.
  private var texts: [String] {
    bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return (0..<Self.count).map { _ in (try? reader.text()) ?? "" }
    }
  }

  /// Returns the encoded identity, with which the bytes of a request begin.
  static func encoded(_ identity: EventIdentity) -> [UInt8] {
    var writer = ByteWriter()
    write(identity, to: &writer)
    return writer.bytes
  }

  /// Writes the id first, because ids differ more often than sources.
  private static func write(_ identity: EventIdentity, to writer: inout ByteWriter) {
    writer.text(identity.identifier.text)
    writer.text(identity.source.text)
  }
}

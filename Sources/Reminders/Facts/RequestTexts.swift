/// Who has asked for a notification and what it says, in the form of the store: the id, the source,
/// title, body and details, each behind its length.
struct RequestTexts: Hashable, Sendable {
  private static let count = 5

  private let bytes: ArraySlice<UInt8>

  init(_ identity: EventIdentity, _ content: RequestedNotification.Content) {
    var writer = ByteWriter()
    Self.write(identity, to: &writer)
    for text in [content.title, content.body, content.details] { writer.text(text) }
    bytes = writer.bytes[...]
  }

  /// Keeps a part of what a reader reads, which others share.
  init(from reader: inout ByteReader, of bytes: [UInt8]) throws(CodingFailure) {
    let start = reader.offset
    for _ in 0..<Self.count { try reader.skipText() }
    self.bytes = bytes[start..<reader.offset]
  }

  var identity: EventIdentity {
    let texts = texts
    return EventIdentity(source: texts[1], identifier: texts[0])
  }

  var words: (title: String, body: String, details: String) {
    let texts = texts
    return (texts[2], texts[3], texts[4])
  }

  /// They were found to be whole when they were read.
  private var texts: [String] {
    bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return (0..<Self.count).map { _ in (try? reader.text()) ?? "" }
    }
  }

  func write(to writer: inout ByteWriter) { writer.append(bytes) }

  func begin(with name: [UInt8]) -> Bool { bytes.starts(with: name) }

  static func encoded(_ identity: EventIdentity) -> [UInt8] {
    var writer = ByteWriter()
    write(identity, to: &writer)
    return writer.bytes
  }

  /// The id first, as ids differ more often than sources.
  private static func write(_ identity: EventIdentity, to writer: inout ByteWriter) {
    writer.text(identity.identifier.text)
    writer.text(identity.source.text)
  }
}

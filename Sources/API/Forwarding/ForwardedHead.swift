import HTTPTransfers
import HTTPTypes

/// The headers of requests that are forwarded to another node, and of their responses.
enum ForwardedHead {
  /// The request headers that are forwarded, because routes read them.
  private static let forwardedNames: [HTTPField.Name] = [
    .accept, .contentEncoding, .contentType, .ifMatch, .ifNoneMatch, .lastEventID,
  ]

  /// Response headers that are not forwarded: those of the connection (RFC 9110, section 7.6.1),
  /// and those that this node sets.
  private static let droppedNames: Set<HTTPField.Name> = [
    .connection, .contentLength, .date, .server, .transferEncoding,
  ]

  /// Returns the headers to forward with a request, and a header that identifies the caller.
  static func fields(of headers: HTTPFields, for caller: Caller?) -> [(String, String)] {
    let callerField =
      caller.map { [(HTTPField.Name.forwardedCaller.rawName, $0.forwardedHeader)] } ?? []
    return callerField
      + headers.filter { forwardedNames.contains($0.name) }.map { ($0.name.rawName, $0.value) }
  }

  /// Returns those headers of a node's response that the client gets.
  static func headers(of reply: ReplyHead) -> HTTPFields {
    var headers = HTTPFields()
    for (text, value) in reply.fields {
      guard let name = HTTPField.Name(text), !droppedNames.contains(name) else { continue }
      headers.append(HTTPField(name: name, value: value))
    }
    return headers
  }

  /// Returns the path and the query of a URL. Characters that would end the path or the query are
  /// percent-encoded; the receiver decodes them.
  static func target(_ path: String, _ query: String?) -> String {
    encoded(path) + (query.map { "?" + encoded($0, except: [UInt8(ascii: "?")]) } ?? "")
  }

  /// - Parameter plain: characters that are not encoded, in addition to those of `isPlain`.
  private static func encoded(_ text: String, except plain: [UInt8] = []) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if isPlain(byte) || plain.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns whether a byte needs no encoding. A percent sign needs none, because it belongs to a
  /// character that the client has encoded.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: marks.contains(byte)
    }
  }

  private static let marks = Array("-._~!$&'()*+,;=:@/%".utf8)
  private static let digits = Array("0123456789ABCDEF".utf8)
}

import CivilTime
import JSON

/// A CloudEvents 1.0 event as it is sent (rule E1).
struct EventDocument {
  var identifier: String
  var source: String
  var type: String
  var recipient: String
  /// Nil for the time of arrival.
  var time: Instant?
  var data: JSONObject

  var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("specversion", "1.0")
    writer.member("id", identifier)
    writer.member("source", source)
    writer.member("type", type)
    writer.member("subject", recipient)
    if let time { writer.member("time", time.description) }
    if !data.isEmpty { writer.member("data", .object(data)) }
    writer.endObject()
    return writer.bytes
  }

  /// An identifier that no other event has: 128 random bits in hexadecimal digits.
  static func identifier(using generator: inout some RandomNumberGenerator) -> String {
    (0..<4).map { _ in
      let digits = String(UInt32.random(in: 0 ... .max, using: &generator), radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }
}

internal import Foundation

/// Reads and writes the service's JSON.
enum ChimedDocument {
  /// - Throws: `ChimedError.unreadable` if a member is missing or malformed.
  static func decode<Value: Decodable>(
    _ type: Value.Type, from body: Data
  ) throws(ChimedError) -> Value {
    do {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .custom(date)
      return try decoder.decode(type, from: body)
    } catch {
      throw .unreadable(reason(error))
    }
  }

  /// - Throws: `ChimedError.invalid` if JSON cannot express the value, such as an infinite number.
  static func encode(_ value: some Encodable) throws(ChimedError) -> Data {
    do {
      return try JSONEncoder().encode(value)
    } catch {
      throw .invalid("the value cannot be written as JSON: \(error)")
    }
  }

  /// Parses the service's instants, which have milliseconds.
  private static func date(_ decoder: any Decoder) throws -> Date {
    let text = try decoder.singleValueContainer().decode(String.self)
    return try Date(text, strategy: instants)
  }

  /// The format of instants: RFC 3339 with milliseconds.
  static let instants = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  /// The position and the fault, without the internals of the decoder.
  private static func reason(_ error: any Error) -> String {
    switch error as? DecodingError {
    case .keyNotFound(let key, let context): "\(path(context, key)) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "\(path(context)) has another type"
    case .dataCorrupted(let context): "\(path(context)) is malformed"
    default: "\(error)"
    }
  }

  private static func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil)
    -> String
  {
    let keys = context.codingPath + (key.map { [$0] } ?? [])
    return keys.isEmpty ? "it" : keys.map(\.stringValue).joined(separator: ".")
  }
}

public import Foundation
internal import JSON

/// A fact about a recipient that an app reports: a CloudEvent (rule E1).
public struct ChimedEvent: Sendable {
  /// Identifies the event together with the source; sending it again changes nothing.
  public var identifier: String
  /// The reporting app, or a part of it.
  public var source: String
  public var type: String
  /// The recipient's id in the app.
  public var recipient: String
  /// The time of the fact; nil for the time of arrival.
  public var time: Date?
  /// Further attributes, such as `traceparent`.
  public var attributes: [String: String] = [:]
  /// A JSON object, or empty.
  let data: [UInt8]

  /// An event without data.
  public init(
    _ type: String, of recipient: String, source: String = "swift",
    identifier: String = UUID().uuidString, time: Date? = nil
  ) {
    self.init(type, recipient, source, identifier, time, data: [])
  }

  /// - Throws: if the data cannot be encoded as JSON.
  public init(
    _ type: String, of recipient: String, source: String = "swift",
    identifier: String = UUID().uuidString, time: Date? = nil, data: some Encodable
  ) throws {
    self.init(
      type, recipient, source, identifier, time, data: Array(try JSONEncoder().encode(data)))
  }

  private init(
    _ type: String, _ recipient: String, _ source: String, _ identifier: String, _ time: Date?,
    data: [UInt8]
  ) {
    self.type = type
    self.recipient = recipient
    self.source = source
    self.identifier = identifier
    self.time = time
    self.data = data
  }

  /// The JSON of the structured content mode.
  var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("specversion", "1.0")
    writer.member("id", identifier)
    writer.member("source", source)
    writer.member("type", type)
    writer.member("subject", recipient)
    if let time {
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      writer.member("time", time.formatted(style))
    }
    for (name, value) in attributes {
      writer.key(name)
      writer.value(value)
    }
    if !data.isEmpty {
      writer.key(constant: "data")
      writer.raw(data)
    }
    writer.endObject()
    return writer.bytes
  }
}

/// The result of an event.
public enum ChimedReceipt: Hashable, Sendable {
  /// Stored on disk.
  case accepted
  /// Already stored; nothing changed.
  case duplicate
  /// Rejected; the other events of its batch are not affected.
  case refused(ChimedProblem)
}

extension ChimedClient {
  /// Reports an event; it is on disk when this returns.
  ///
  /// - Returns: `accepted` or `duplicate`.
  @discardableResult
  public func send(_ event: ChimedEvent) async throws(ChimedError) -> ChimedReceipt {
    let answer = try await request(
      "POST", "/v1/events", body: event.bytes,
      headers: ["content-type": "application/cloudevents+json"])
    return try Self.receipt(Self.value(answer))
  }

  /// Reports many events at once, up to 8 MiB.
  ///
  /// - Returns: the result of each, in order.
  @discardableResult
  public func send(_ events: [ChimedEvent]) async throws(ChimedError) -> [ChimedReceipt] {
    let body =
      Array("[".utf8) + events.map(\.bytes).joined(separator: Array(",".utf8))
      + Array("]".utf8)
    let answer = try await request(
      "POST", "/v1/events", body: body,
      headers: ["content-type": "application/cloudevents-batch+json"])
    guard let items = try Self.value(answer)["items"]?.arrayValue, items.count == events.count
    else {
      throw .unreadable("the results of the events are missing")
    }
    var receipts: [ChimedReceipt] = []
    for item in items { receipts.append(try Self.receipt(item)) }
    return receipts
  }

  /// Reads a path and decodes the reply.
  ///
  /// - Parameter path: such as `/v1/recipients/u1/pending`; `segment` encodes values in it.
  public func read<Answer: Decodable>(
    _ type: Answer.Type, from path: String
  ) async throws(ChimedError) -> Answer {
    let bytes = try await request("GET", path)
    do {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .custom(Self.date)
      return try decoder.decode(type, from: Data(bytes))
    } catch {
      throw .unreadable("\(error)")
    }
  }

  /// Parses the service's instants, which have milliseconds.
  private static func date(_ decoder: any Decoder) throws -> Date {
    let text = try decoder.singleValueContainer().decode(String.self)
    return try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  private static func value(_ bytes: [UInt8]) throws(ChimedError) -> JSONValue {
    do {
      return try JSONParser(maximumBytes: longestAnswer).parse(bytes)
    } catch {
      throw .unreadable("\(error)")
    }
  }

  private static func receipt(_ item: JSONValue) throws(ChimedError) -> ChimedReceipt {
    switch item["status"]?.stringValue {
    case "accepted": return .accepted
    case "duplicate": return .duplicate
    case "refused":
      let problem = item["problem"]
      let status = problem?["status"]?.integerValue.map { Int($0) } ?? 422
      return .refused(ChimedProblem(status: status, problem))
    default: throw .unreadable("the result of the event is missing")
    }
  }
}

public import Foundation

/// A fact about a recipient that an app reports: a CloudEvent (rule E1).
public struct ChimedEvent: Sendable {
  /// Together with the source, identifies the event. Sending the same event again changes nothing.
  public var identifier: String
  /// The reporting app, or a part of it.
  public var source: String
  /// The type, such as `lesson.completed`.
  public var type: String
  /// The recipient's id in the app.
  public var recipient: String
  /// The time of the fact; nil for the time of arrival.
  public var time: Date?
  /// Further attributes, such as `traceparent`.
  public var attributes: [String: String] = [:]
  /// The event's data, a JSON object; empty if there is none.
  let data: Data

  /// An event without data.
  public init(
    _ type: String, of recipient: String, source: String = "swift",
    identifier: String = UUID().uuidString, time: Date? = nil
  ) {
    self.init(type, recipient, source, identifier, time, data: Data())
  }

  /// - Throws: `ChimedError.invalid` if the data cannot be encoded as JSON.
  public init(
    _ type: String, of recipient: String, source: String = "swift",
    identifier: String = UUID().uuidString, time: Date? = nil, data: some Encodable
  ) throws(ChimedError) {
    self.init(type, recipient, source, identifier, time, data: try ChimedDocument.encode(data))
  }

  private init(
    _ type: String, _ recipient: String, _ source: String, _ identifier: String, _ time: Date?,
    data: Data
  ) {
    self.type = type
    self.recipient = recipient
    self.source = source
    self.identifier = identifier
    self.time = time
    self.data = data
  }

  /// Returns the event as JSON, in the structured content mode of CloudEvents.
  func document() throws(ChimedError) -> Data {
    var members = attributes
    members["specversion"] = "1.0"
    members["id"] = identifier
    members["source"] = source
    members["type"] = type
    members["subject"] = recipient
    members["time"] = time?.formatted(ChimedDocument.instants)
    let envelope = try ChimedDocument.encode(members)
    guard !data.isEmpty else { return envelope }
    return envelope.dropLast() + Data(",\"data\":".utf8) + data + Data("}".utf8)
  }
}

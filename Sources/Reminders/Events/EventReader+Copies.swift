package import CivilTime
import JSON

/// The JSON text of an event's copy for a recipient of another node. The text waits in the store
/// for that node.
extension Event {
  /// The copy's JSON text. If the app gave no time, the text has none, and the caller stores the
  /// time separately.
  package var copyText: String {
    var writer = JSONWriter(reservingCapacity: data.count + 256)
    writer.beginObject()
    writer.member("id", identifier)
    writer.member("source", source)
    writer.member("type", type)
    writer.member("subject", recipient)
    if isTimeGiven { writer.member("time", time.description) }
    writer.key(constant: "data")
    writer.raw(data)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension EventReader {
  /// Reads the text of a copy according to this node's catalog. The accepting node has validated
  /// the event.
  ///
  /// - Parameter time: the time of an event for which the app gave none.
  package func copy(text: String, time: Instant) throws(Refusal) -> Event {
    let value = try json(text)
    let type = value["type"]?.stringValue ?? ""
    guard let schema = planner.catalog.event(type), schema.isCopy else {
      throw Refusal(
        path: "type",
        "\"\(type)\" is a copy of an event for other recipients, and no catalog of this node "
          + "declares it")
    }
    let name = value["subject"]?.stringValue ?? ""
    let data = value["data"]?.objectValue ?? JSONObject()
    let writtenTime = value["time"]?.stringValue.flatMap { Instant($0) }
    let source = value["source"]?.stringValue ?? ""
    let content: Event.Content =
      if case .report = schema.shape {
        .report(try ReportReader(schema: schema, recipient: name).report(data))
      } else {
        try content(
          .object(data), schema, source: source, of: name, time: writtenTime ?? time)
      }
    return Event(
      identifier: value["id"]?.stringValue ?? "", source: source,
      type: type, recipient: name, time: writtenTime ?? time, isTimeGiven: writtenTime != nil,
      content: content,
      data: JSONWriter.canonical(.object(data)))
  }
}

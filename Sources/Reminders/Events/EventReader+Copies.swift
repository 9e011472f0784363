package import CivilTime
import JSON

/// The copy of an event for somebody whom it names and another node owns: a text of JSON, which
/// waits in the store for that node.
extension Event {
  /// Without its time where it came without one: that has to be kept beside it.
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
  /// Reads the text of a copy. What the event said was looked through where it was taken in; here
  /// it is read once more by the catalog of this node.
  ///
  /// - Parameter time: of one that came without.
  package func copy(text: String, time: Instant) throws(Refusal) -> Event {
    let value = try json(text)
    let type = value["type"]?.stringValue ?? ""
    guard let schema = catalog.event(type), schema.isCopy else {
      throw Refusal(
        path: "type",
        "\"\(type)\" is what others are told of an event, and no catalog of this node declares it")
    }
    let name = value["subject"]?.stringValue ?? ""
    let data = value["data"]?.objectValue ?? JSONObject()
    let given = value["time"]?.stringValue.flatMap { Instant($0) }
    return Event(
      identifier: value["id"]?.stringValue ?? "", source: value["source"]?.stringValue ?? "",
      type: type, recipient: name, time: given ?? time, isTimeGiven: given != nil,
      content: .report(try ReportReader(schema: schema, recipient: name).report(data)),
      data: JSONWriter.canonical(.object(data)))
  }
}

import JSON

/// Reads an event's fields other than texts and numbers.
extension ReportReader {
  /// The maximum number of elements of a list.
  private static let listMax = 1_000
  /// The maximum length of a URL, in bytes.
  private static let urlBytesMax = 2_048
  /// The maximum length of a text of which only the beginning is stored, in bytes.
  private static let previewBytesMax = 16_384

  func flag(_ value: JSONValue, _ path: String) throws(Refusal) -> Bool {
    if let flag = value.boolValue { return flag }
    throw Refusal(path: path, "must be true or false; it is \(value.kind)")
  }

  func person(_ value: JSONValue, _ path: String) throws(Refusal) -> Person {
    let object = try object(value, path, known: ["id", "username", "firstName", "avatarUrl"])
    return Person(
      id: try required(object, "id", path, 1...128),
      username: try required(object, "username", path, 1...128),
      firstName: try optional(object, "firstName", path, 1...256, isProse: true),
      avatarURL: try optional(object, "avatarUrl", path, 1...Self.urlBytesMax))
  }

  func place(_ value: JSONValue, _ path: String) throws(Refusal) -> Place {
    let object = try object(value, path, known: ["id", "name"])
    return Place(
      id: try required(object, "id", path, 1...128),
      name: try required(object, "name", path, 1...256, isProse: true))
  }

  /// Reads the beginning of a text that a person wrote.
  func preview(_ value: JSONValue, _ path: String) throws(Refusal) -> String {
    let text = value.stringValue ?? ""
    let preview = text.utf8.count <= Self.previewBytesMax ? Preview.of(text) : ""
    if !preview.isEmpty, !preview.hasControlCharacters { return preview }
    throw Refusal(
      path: path,
      "must be a text of 1 to \(Self.previewBytesMax) bytes without control characters, except "
        + "line breaks")
  }

  /// Reads `[{"type": "PHOTO", "thumbnail": "https://..."}]`.
  func tally(
    _ value: JSONValue, _ path: String, _ sorts: [Tally.ObjectKind]
  ) throws(Refusal) -> Tally {
    guard let elements = value.arrayValue, (1...Self.listMax).contains(elements.count) else {
      throw Refusal(path: path, "must be a list of 1 to \(Self.listMax) objects")
    }
    var counts = Array(repeating: 0, count: sorts.count)
    var thumbnails: [Tally.Thumbnail] = []
    for (index, element) in elements.enumerated() {
      let path = "\(path)[\(index)]"
      let object = try object(element, path, known: ["type", "thumbnail"])
      let sortIndex = try sortIndex(object, path, sorts)
      counts[sortIndex] += 1
      if let url = try optional(object, "thumbnail", path, 1...Self.urlBytesMax) {
        thumbnails.append(Tally.Thumbnail(sort: sorts[sortIndex].name, url: url))
      }
    }
    return Tally(counts: counts, thumbnails: thumbnails)
  }

  /// Reads the `type` of an element, and returns its index among the declared sorts.
  private func sortIndex(
    _ object: JSONObject, _ path: String, _ sorts: [Tally.ObjectKind]
  ) throws(Refusal) -> Int {
    let name = try required(object, "type", path, 1...128)
    if let index = sorts.firstIndex(where: { $0.name == name }) { return index }
    let known = sorts.map(\.name)
    throw Refusal(
      path: path + ".type",
      "is \"\(name)\"" + hint(name, known) + "; known are \(known.joined(separator: ", "))")
  }

  // MARK: - Objects

  private func object(
    _ value: JSONValue, _ path: String, known: [String]
  ) throws(Refusal) -> JSONObject {
    guard let object = value.objectValue else {
      throw Refusal(path: path, "must be an object; it is \(value.kind)")
    }
    for member in object where !known.contains(member.key) {
      throw Refusal(
        path: "\(path).\(member.key)",
        "is not known" + hint(member.key, known) + "; known are \(known.joined(separator: ", "))")
    }
    return object
  }

  private func required(
    _ object: JSONObject, _ name: String, _ path: String, _ length: ClosedRange<Int>,
    isProse: Bool = false
  ) throws(Refusal) -> String {
    let path = "\(path).\(name)"
    guard let value = object[name] else { throw Refusal(path: path, "is missing") }
    return isProse ? try prose(value, path, length) : try text(value, path, length)
  }

  private func optional(
    _ object: JSONObject, _ name: String, _ path: String, _ length: ClosedRange<Int>,
    isProse: Bool = false
  ) throws(Refusal) -> String? {
    guard let value = object[name], !value.isNull else { return nil }
    return try required(object, name, path, length, isProse: isProse)
  }
}

extension Report {
  /// Returns whether the report names the given person as the one who caused the event.
  func isDone(by name: String) -> Bool {
    details.contains { detail in
      if case .person(let person) = detail.value { person.id == name } else { false }
    }
  }
}

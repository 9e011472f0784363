internal import JSON

extension Catalog {
  /// The stored form of the catalog: its sources as JSON.
  package var storedText: String {
    let texts = sources.map { JSONValue.array([.string($0.file), .string($0.text)]) }
    return String(decoding: JSONWriter.canonical(.array(texts)), as: UTF8.self)
  }

  /// Reads stored sources; nil if this version of the service cannot read them.
  package convenience init?(storedText text: String) {
    guard let texts = try? JSONParser(maximumBytes: .max).parse(text).arrayValue else {
      return nil
    }
    let sources = texts.compactMap { entry -> CatalogSource? in
      guard let pair = entry.arrayValue, pair.count == 2, let file = pair[0].stringValue,
        let text = pair[1].stringValue
      else { return nil }
      return CatalogSource(file: file, text: text)
    }
    do { try self.init(reading: sources) } catch { return nil }
  }
}

internal import JSON

extension Catalog {
  /// The stored form of the catalog: a JSON array with `[file, text]` for each source. The policies
  /// of the configuration, if any, come last, as `[file, text, "policies"]`.
  package var storedText: String {
    var texts = sources.map { JSONValue.array([.string($0.file), .string($0.text)]) }
    if let policySource {
      texts.append(
        .array([.string(policySource.file), .string(policySource.text), .string("policies")]))
    }
    return String(decoding: JSONWriter.canonical(.array(texts)), as: UTF8.self)
  }

  /// Creates a catalog from its stored form; nil if this version of the service cannot read it.
  package convenience init?(storedText text: String) {
    guard let texts = try? JSONParser(maximumBytes: .max).parse(text).arrayValue else {
      return nil
    }
    var sources: [CatalogSource] = []
    var policies: PolicySource?
    for case .array(let parts) in texts {
      guard (2...3).contains(parts.count), let file = parts[0].stringValue,
        let text = parts[1].stringValue
      else { return nil }
      if parts.count == 2 {
        sources.append(CatalogSource(file: file, text: text))
      } else {
        policies = PolicySource(file: file, storedText: text)
      }
    }
    do { try self.init(reading: sources, policies: policies) } catch { return nil }
  }
}

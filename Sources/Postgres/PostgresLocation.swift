import CPostgres

/// Where a database is, as libpq takes it: "host=... dbname=...", or a URI.
package struct PostgresLocation: Sendable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  /// The same with more of libpq's options, which take the place of what it says.
  package func with(_ options: KeyValuePairs<String, String>) -> PostgresLocation {
    let isURI = text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    var result = text
    for (option, value) in options {
      result += isURI ? (result.contains("?") ? "&" : "?") : " "
      result += "\(option)=\(value)"
    }
    return PostgresLocation(result)
  }

  /// What of it anybody may see: where the server is, and whose database it is. A location may hold
  /// passwords.
  package var shown: String {
    guard let options = PQconninfoParse(text, nil) else { return "that is configured" }
    defer { PQconninfoFree(options) }
    var words: [String] = []
    var option = options
    while let keyword = option.pointee.keyword {
      let (name, value) = (String(cString: keyword), option.pointee.val.map { String(cString: $0) })
      if let value, Self.isOpen(name, value) { words.append("\(name)=\(value)") }
      option += 1
    }
    return words.isEmpty ? "that is configured" : words.joined(separator: " ")
  }

  /// In a URI without a host, a password stands where a port is looked for.
  private static func isOpen(_ name: String, _ value: String) -> Bool {
    open.contains(name) && (name != "port" || value.allSatisfy { $0.isNumber || $0 == "," })
  }

  private static let open: Set = ["host", "hostaddr", "port", "dbname", "user", "service"]
}

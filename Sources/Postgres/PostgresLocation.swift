import CPostgres

/// The location of a database in libpq's format: "host=... dbname=...", or a URI.
package struct PostgresLocation: Sendable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  /// Returns the location with additional libpq options, which override those in the location.
  package func with(_ options: KeyValuePairs<String, String>) -> PostgresLocation {
    let isURI = text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    var result = text
    for (option, value) in options {
      result += isURI ? (result.contains("?") ? "&" : "?") : " "
      result += "\(option)=\(value)"
    }
    return PostgresLocation(result)
  }

  /// The parts that may be shown: server, database and user; "that is configured" if there are
  /// none. Other parts may hold passwords.
  package var shown: String {
    guard let options = PQconninfoParse(text, nil) else { return "that is configured" }
    defer { PQconninfoFree(options) }
    var shownOptions: [String] = []
    var option = options
    while let keyword = option.pointee.keyword {
      let (name, value) = (String(cString: keyword), option.pointee.val.map { String(cString: $0) })
      if let value, Self.mayBeShown(name, value) { shownOptions.append("\(name)=\(value)") }
      option += 1
    }
    return shownOptions.isEmpty ? "that is configured" : shownOptions.joined(separator: " ")
  }

  /// Whether an option may be shown. A URI without a host can have its password where the port is
  /// expected.
  private static func mayBeShown(_ name: String, _ value: String) -> Bool {
    harmlessOptions.contains(name)
      && (name != "port" || value.allSatisfy { $0.isNumber || $0 == "," })
  }

  /// The names of libpq's options whose values may be shown.
  private static let harmlessOptions: Set = [
    "host", "hostaddr", "port", "dbname", "user", "service",
  ]
}

/// The configuration in force, as administrators are shown it. It holds no secret: what may be one
/// is left out.
package struct ShownConfiguration: Sendable {
  package enum Origin: String, CaseIterable, Sendable {
    /// A line of the configuration file.
    case file
    /// The service's own command line.
    case option
    case environment
    /// Nobody has said anything.
    case standard = "default"
  }

  package struct Setting: Hashable, Sendable {
    /// Its place in the configuration file: `retention.events`, `sinks.webhook.url`.
    package let name: String
    /// As text, a list with commas; nil where it may hold a secret.
    package let value: String?
    package let origin: Origin
    /// Where the file says it, from 1 on.
    package let line: Int?

    package init(name: String, value: String?, origin: Origin, line: Int? = nil) {
      (self.name, self.value, self.origin, self.line) = (name, value, origin, line)
    }
  }

  /// Nil where there is none.
  package var file: String?
  package var settings: [Setting]

  package init(file: String? = nil, settings: [Setting] = []) {
    (self.file, self.settings) = (file, settings)
  }
}

package import Yams

/// The policies of the service's configuration, which apply beside those of the catalogs (rule
/// V18).
package struct PolicySource: Hashable, Sendable {
  package let file: String
  /// The text of the whole file, so that mistakes have their positions.
  let fileText: String
  /// The value of the key `policies` as YAML in one line.
  let text: String

  /// - Parameter policies: the value of the key `policies` in the text of the file.
  package init(file: String, text fileText: String, policies: Node) {
    (self.file, self.fileText, text) = (file, fileText, policies.inOneLine)
  }

  /// Restores stored policies.
  init(file: String, storedText text: String) {
    (self.file, fileText, self.text) = (file, "policies: \(text)", text)
  }
}

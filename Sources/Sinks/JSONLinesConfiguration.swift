package import Delivery
package import Systemd

/// `type: jsonl`: deliveries are lines of JSON in a file or on standard output.
package struct JSONLinesConfiguration: SinkConfiguration {
  package static let type = "jsonl"
  package static let keys = ["file"]
  package static let requiredKeys = keys

  /// "-" is standard output.
  package let file: String

  package init(file: String) {
    self.file = file
  }

  package init?(reading settings: inout SinkSettings) {
    guard let file = settings.text("file") else { return nil }
    self.file = file
  }

  package func check(credentials: Credentials) throws {
    if file != "-" { try WritableFile.check(file) }
  }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkSurroundings
  ) throws -> any Sink {
    try JSONLinesSink(name: common.name, path: file)
  }
}

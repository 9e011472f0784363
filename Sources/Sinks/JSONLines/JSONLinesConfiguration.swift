package import Delivery
package import Systemd

/// `type: jsonl`: deliveries are lines of JSON in a file or on standard output.
package struct JSONLinesConfiguration: SinkConfiguration {
  package static let type = "jsonl"
  package static let waitsForOthers = false
  package static let keys = ["file", "rotate", "keep"]
  package static let requiredKeys = ["file"]

  /// "-" is standard output.
  package let file: String
  package let rotation: JSONLinesSink.Rotation?

  package init(file: String) {
    self.file = file
    rotation = nil
  }

  package init?(reading settings: inout SinkSettings) {
    guard let file = settings.text("file") else { return nil }
    self.file = file
    let size = settings.bytes("rotate", in: 10_000...1_000_000_000_000)
    let keep = settings.number("keep", in: 1...1_000)
    rotation = size.map { JSONLinesSink.Rotation(size: $0, keep: Int(keep ?? 5)) }
    if file == "-", settings.has("rotate") {
      settings.refuse("rotate", "is for a file; standard output has no size")
    }
    if settings.has("keep"), !settings.has("rotate") {
      settings.refuse("keep", "is for files that are rotated: say rotate, such as 100MB")
    }
  }

  package func check(credentials: Credentials) throws {
    if file != "-" { try WritableFile.check(file) }
  }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkSurroundings
  ) throws -> any Sink {
    try JSONLinesSink(
      name: common.name, path: file, rotation: rotation, journal: surroundings.journal)
  }
}

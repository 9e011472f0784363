import JSON
import Outbox
import Reminders
import Sinks
import TestSupport

/// A file that is read line by line.
final class JSONLinesPeer: SinkPeer {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) async throws -> any Sink {
    try JSONLinesSink(name: common.name, path: directory.path + "/out.jsonl")
  }

  func received() throws -> [Arrival] {
    try directory.text(of: "out.jsonl").utf8.split(separator: UInt8(ascii: "\n")).map {
      try Arrival(line: Array($0))
    }
  }
}

extension Arrival {
  /// Reads a line that `Delivery.writeLine` has written.
  init(line: [UInt8]) throws {
    let value = try JSONParser.parse(line)
    identifier = value["id"]?.stringValue ?? ""
    text = (value["title"]?.stringValue ?? "") + "\n" + (value["body"]?.stringValue ?? "")
  }
}

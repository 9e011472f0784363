import CivilTime
import Outbox
import Reminders
import Sinks
import Testing
import Yams

/// Sinks from a configuration file.
enum HTTPSinkFixtures {
  /// Returns the sink called `name`, or nil if there is none, and the faults of the file.
  static func read(
    _ yaml: String, _ name: String = "a"
  ) throws -> (sink: DeliveryConfiguration.DeclaredSink?, faults: [String]) {
    let file = try #require(try Yams.compose(yaml: yaml))
    var reader = DeliveryConfigurationReader(file: "f")
    let configuration = reader.read(sinks: file["sinks"], routes: nil)
    let sink = configuration.sinks.first { $0.common.name == name }
    return (sink, reader.diagnostics.map { "\($0)" })
  }

  /// Creates an `http` sink.
  ///
  /// - Parameter lines: the lines of its settings in YAML.
  static func sink(
    _ lines: [String], in surroundings: SinkEnvironment
  ) throws -> any Sink {
    let yaml = (["sinks:", "  a:", "    type: http"] + lines.map { "    " + $0 })
      .joined(separator: "\n")
    let (sink, faults) = try read(yaml)
    try #require(faults == [])
    return try #require(sink).make(in: surroundings)
  }
}

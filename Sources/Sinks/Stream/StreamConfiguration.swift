package import Delivery

/// `type: stream`: deliveries are on their recipients' event streams, whoever listens.
package struct StreamConfiguration: SinkConfiguration {
  package static let type = "stream"
  package static let keys: [String] = []
  package static let waitsForOthers = false

  package init?(reading settings: inout SinkSettings) {}

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkSurroundings
  ) throws -> any Sink {
    StreamSink(name: common.name)
  }
}

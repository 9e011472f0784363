package import Delivery

/// `type: journal`: deliveries are entries of the journal.
package struct JournalConfiguration: SinkConfiguration {
  package static let type = "journal"
  package static let keys: [String] = []
  package static let waitsForOthers = false

  package init() {}

  package init?(reading settings: inout SinkSettings) {}

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkSurroundings
  ) throws -> any Sink {
    JournalSink(name: common.name, journal: surroundings.journal)
  }
}

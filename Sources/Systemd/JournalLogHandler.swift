package import Logging

/// Sends the log of libraries (swift-log) to the journal. Metadata become fields with their keys in
/// capitals. The field LOGGER is the logger's label, and ERROR is the logged error.
///
/// At levels below `notice`, libraries log requests with headers and addresses. Use such a level
/// only on a developer's machine.
package struct JournalLogHandler: LogHandler {
  package var metadata: Logger.Metadata = [:]
  package var metadataProvider: Logger.MetadataProvider?
  package var logLevel: Logger.Level = .notice
  private let label: String
  private let journal: Journal

  package init(label: String, journal: Journal) {
    self.label = label
    self.journal = journal
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    journal.send(
      message: "\(event.message)", priority: JournalPriority(event.level), fields: fields(of: event)
    )
  }

  private func fields(of event: LogEvent) -> [(name: JournalField, value: String)] {
    var fields = [(JournalField(key: "LOGGER"), label)]
    if let error = event.error { fields.append((JournalField(key: "ERROR"), "\(error)")) }
    fields += merged(event.metadata ?? [:]).map { (JournalField(key: $0.key), "\($0.value)") }
    return fields + [
      (.codeFile, event.file), (.codeLine, "\(event.line)"), (.codeFunction, event.function),
    ]
  }

  /// Merges metadata. The entry's values override the provider's, which override the handler's.
  private func merged(
    _ entryMetadata: Logger.Metadata
  ) -> [(key: String, value: Logger.Metadata.Value)] {
    metadata
      .merging(metadataProvider?.get() ?? [:]) { $1 }
      .merging(entryMetadata) { $1 }
      .sorted { $0.key < $1.key }
  }
}

extension JournalPriority {
  /// The level on syslog's scale; `trace` becomes `debug`.
  package init(_ level: Logger.Level) {
    self =
      switch level {
      case .trace, .debug: .debug
      case .info: .informational
      case .notice: .notice
      case .warning: .warning
      case .error: .error
      case .critical: .critical
      }
  }
}

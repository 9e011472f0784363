import API
import CivilTime
import Systemd

extension LogEntry {
  /// Converts a journal entry. Fields get the names that they have in the API.
  init(_ item: JournalRing.Item) {
    let prefix = "CHIME_"
    let at = Int64(item.time.seconds) * 1_000 + Int64(item.time.milliseconds)
    self.init(
      number: item.number, at: Instant(milliseconds: at),
      level: LogLevel(atLeast: item.entry.priority), kind: item.entry.messageID ?? "",
      message: item.entry.message,
      fields: item.entry.fields.compactMap { name, value in
        let name = name.description
        guard name.hasPrefix(prefix), !value.isEmpty else { return nil }
        return (name.dropFirst(prefix.count).lowercased(), value)
      })
  }
}

extension LogLevel {
  /// The most severe level that includes this priority.
  fileprivate init(atLeast priority: JournalPriority) {
    self = Self.allCases.last { priority.rawValue <= $0.priority.rawValue } ?? .info
  }
}

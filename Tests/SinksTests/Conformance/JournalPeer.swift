import CivilTime
import Foundation
import Outbox
import Reminders
import Sinks
import Systemd
import TestSupport

/// A journal as a peer. It is not the journal of the trial, so its only entries are deliveries.
final class JournalPeer: SinkPeer {
  private let directory: TemporaryDirectory
  private let captured: CapturedJournal

  init() throws {
    directory = try TemporaryDirectory()
    captured = try CapturedJournal(in: directory)
  }

  func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) async throws -> any Sink {
    JournalSink(name: common.name, journal: captured.journal)
  }

  func received() throws -> [Arrival] {
    try captured.entries().map { entry in
      let parts = entry.components(separatedBy: " CHIME_")
      let identifier = parts.first { $0.hasPrefix("NOTIFICATION=") }?.split(separator: "=").last
      return Arrival(identifier: identifier.map(String.init) ?? "", text: parts[0])
    }
  }

  /// Returns the text as the journal's line escapes it, so that no text can forge another line.
  func text(of delivery: Delivery) -> String {
    let entry = JournalEntry(
      message: "\(delivery.title): \(delivery.body)", priority: .notice)
    let line = entry.line(at: Timestamp(seconds: 0, milliseconds: 0))
    return line.dropLast().split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
  }
}

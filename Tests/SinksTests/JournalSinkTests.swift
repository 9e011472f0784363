import DeliverySamples
import Foundation
import Outbox
import Reminders
import Sinks
import Systemd
import TestSupport
import Testing

/// The sink that writes to the journal.
@Suite struct JournalSinkTests {
  @Test func `S3: a delivery is an entry with title and body`() async throws {
    let directory = try TemporaryDirectory()
    let descriptor = open(directory.path + "/log", O_WRONLY | O_CREAT, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let sink = JournalSink(journal: Journal(.lines(descriptor)))
    let answers = try await sink.deliver([Fixtures.delivery(7), Fixtures.delivery(8, .email)])
    #expect(answers == [.delivered, .delivered])
    let lines = try directory.text(of: "log").split(separator: "\n").map {
      $0.split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
    }
    #expect(
      lines == [
        "notice: Note: A note. CHIME_RECIPIENT=amina CHIME_REMINDER=note "
          + "CHIME_NOTIFICATION=store-7 CHIME_CHANNEL=push CHIME_SINK=journal",
        "notice: Note: A note. CHIME_RECIPIENT=amina CHIME_REMINDER=note "
          + "CHIME_NOTIFICATION=store-8 CHIME_CHANNEL=email CHIME_SINK=journal",
      ])
  }
}

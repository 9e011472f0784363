import CivilTime
import Foundation
import JSON
import Outbox
import Reminders
import Store
import Systemd
import TestSupport
import Testing

@testable import Engine

/// Rule S3: journal entries about occurrences.
@Suite struct NoteReporterTests {
  private func entries(_ report: (NoteReporter) -> Void) throws -> [String] {
    let directory = try TemporaryDirectory.inMemory()
    let descriptor = open(directory.path + "/log", O_WRONLY | O_CREAT, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    report(NoteReporter(journal: Journal(.lines(descriptor))))
    return try directory.text(of: "log").split(separator: "\n").map {
      $0.split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
    }
  }

  private func notes(_ kinds: [OccurrenceNote.Kind]) -> OccurrenceNotes {
    var notes = OccurrenceNotes()
    for (index, kind) in kinds.enumerated() {
      notes.add(kind) {
        OccurrenceNote(
          kind: kind, recipient: "u\(index)", reminder: "note", channels: [.init(.push)],
          sinks: ["test"], notification: "store-\(index)", reasons: ["quiet_hours"],
          planned: Instant(milliseconds: 0))
      }
    }
    return notes
  }

  @Test func `S3: each of a few occurrences has its own entry`() throws {
    let until = Instant(milliseconds: 1_772_452_800_000)
    let notes = notes([.delivered, .held(until: until), .dropped])
    #expect(
      try entries { $0.report(notes) } == [
        "informational: note for u0 goes out CHIME_RECIPIENT=u0 CHIME_REMINDER=note "
          + "CHIME_VERDICT=delivered CHIME_CHANNEL=push CHIME_SINK=test "
          + "CHIME_NOTIFICATION=store-0 CHIME_REASON=quiet_hours",
        "informational: note for u1 is held until 2026-03-02T12:00:00.000Z by quiet_hours "
          + "CHIME_RECIPIENT=u1 CHIME_REMINDER=note CHIME_VERDICT=held CHIME_CHANNEL=push "
          + "CHIME_SINK=test CHIME_NOTIFICATION=store-1 CHIME_REASON=quiet_hours "
          + "CHIME_UNTIL=2026-03-02T12:00:00.000Z",
        "informational: note for u2 is dropped: quiet_hours CHIME_RECIPIENT=u2 "
          + "CHIME_REMINDER=note CHIME_VERDICT=dropped CHIME_CHANNEL=push "
          + "CHIME_SINK=test CHIME_NOTIFICATION=store-2 CHIME_REASON=quiet_hours",
      ])
  }

  /// `journalctl CHIME_SINK=lines` matches such a field.
  @Test func `S3: each sink of an occurrence has its own field`() throws {
    var note = try #require(notes([.delivered]).notes.first)
    note.channels = [.init(.push), .init(.email)]
    note.sinks = ["hook", "lines"]
    var several = OccurrenceNotes()
    several.add(note.kind) { note }
    #expect(
      try entries { $0.report(several) } == [
        "informational: note for u0 goes out CHIME_RECIPIENT=u0 CHIME_REMINDER=note "
          + "CHIME_VERDICT=delivered CHIME_CHANNEL=push,email CHIME_SINK=hook CHIME_SINK=lines "
          + "CHIME_NOTIFICATION=store-0 CHIME_REASON=quiet_hours"
      ])
  }

  @Test func `D2: a delivery that moves on is reported with its next sink`() throws {
    let noon = Instant(milliseconds: 1_772_452_800_000)
    var delivery = Delivery(
      instance: "store", notification: 1, row: 1, recipient: "amina", channel: .push,
      isSilent: false, planned: noon, at: noon, expiry: noon,
      message: Message(reminder: "note", category: "NOTE", title: "", body: ""))
    let refused = Retry(sink: "one", delivery: delivery, attempts: 1)
    let next = Retry(sink: "two", delivery: delivery, attempts: 0)
    delivery.channel = .sms
    let fallback = Retry(sink: "three", delivery: delivery, attempts: 0)
    let fields =
      " CHIME_RECIPIENT=amina CHIME_NOTIFICATION=store-1 CHIME_CHANNEL=push CHIME_SINK=one "
      + "CHIME_REASON=404"
    #expect(
      try entries { reporter in
        reporter.report(.movedOn(refused, to: next, reason: "404"))
        reporter.report(.movedOn(refused, to: fallback, reason: "404"))
      } == [
        "notice: note for amina on push by one failed; two takes over: 404" + fields,
        "notice: note for amina on push by one failed; three takes over on sms: 404" + fields,
      ])
  }

  @Test func `M1: rejected and retried analytics events are reported`() throws {
    let until = Instant(milliseconds: 1_772_452_800_000)
    #expect(
      try entries { reporter in
        reporter.report(.analyticsRejected(count: 3, sink: "hook", reason: "400"))
        reporter.report(.analyticsRetried(sink: "hook", until: until, reason: "503"))
      } == [
        "warning: hook rejected 3 analytics events, which are skipped: 400 CHIME_SINK=hook "
          + "CHIME_REASON=400",
        "warning: hook did not accept an analytics event, which is retried: 503 CHIME_SINK=hook "
          + "CHIME_REASON=503 CHIME_UNTIL=2026-03-02T12:00:00.000Z",
      ])
  }

  @Test func `S3: a burst is one entry`() throws {
    let few = OccurrenceNotes.individualMax
    #expect(
      try entries { $0.report(notes(Array(repeating: .delivered, count: few))) }.count == few)
    let batch = notes(
      Array(repeating: .delivered, count: few) + [.held(until: Instant(milliseconds: 0))]
        + Array(repeating: .dropped, count: 9))
    #expect(
      try entries { $0.report(batch) } == [
        "informational: 210 reminders were due at once: 200 go out, 1 are held, 9 are dropped"
      ])
    #expect(batch.notes.count == few)
    let bundled = notes(Array(repeating: .delivered, count: few) + [.bundled, .bundled])
    #expect(
      try entries { $0.report(bundled) } == [
        "informational: 202 reminders were due at once: 200 go out, 2 are in digests, 0 are held, "
          + "0 are dropped"
      ])
  }

  @Test func `S3: an outage names the sink`() throws {
    #expect(
      try entries { $0.report(outage: SinkOutage("connection refused"), of: "webhook") } == [
        "warning: webhook is down: connection refused CHIME_SINK=webhook "
          + "CHIME_REASON=\"connection refused\""
      ])
  }

  /// Checks the entries of one week with the shipped catalog.
  @Test func `S3: no entry contains a title or a body`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.take("lesson.completed", ["day": 3])
    try stage.take("streak.started")
    try stage.take("relapse", of: "bilal")
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "20:00", "end": "22:00"]], of: "bilal")
    try stage.run(to: "2026-03-09 09:00")
    let texts = Set(stage.delivered.flatMap { [$0.title, $0.body] })
    #expect(texts.count > 8)
    var notes = OccurrenceNotes()
    for note in stage.notes { notes.add(note.kind) { note } }
    let lines = try entries { $0.report(notes) }
    #expect(lines.count == stage.notes.count && lines.count > 20)
    for text in texts { #expect(!lines.contains { $0.contains(text) }, "\(text)") }
  }
}

import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Sinks
import Systemd
import TestSupport

/// A sink with its peer and its log.
struct SinkTrial {
  let peer: any SinkPeer
  let sink: any Sink
  private let directory: TemporaryDirectory
  private let journal: CapturedJournal

  init(_ sinkCase: SinkCase, deadline: TimeSpan = .seconds(15)) async throws {
    directory = try TemporaryDirectory()
    journal = try CapturedJournal(in: directory)
    peer = try await sinkCase.peer()
    for (name, secret) in peer.credentials { try directory.write(secret, to: name) }
    sink = try await peer.sink(
      SinkCommonSettings(name: sinkCase.name, deadline: deadline),
      in: SinkEnvironment(
        journal: journal.journal, credentials: Credentials(directory: directory.path),
        now: { Fixtures.noon }))
  }

  func log() throws -> String { try journal.text() }

  /// Sends deliveries like a lane: at most one window at a time.
  func deliver(_ deliveries: [Delivery]) async throws -> [SinkAnswer] {
    guard !deliveries.isEmpty else { return try await sink.deliver([]) }
    var answers: [SinkAnswer] = []
    var remaining = deliveries.map(peer.addressed)[...]
    while !remaining.isEmpty {
      answers += try await sink.deliver(Array(remaining.prefix(sink.window)))
      remaining = remaining.dropFirst(sink.window)
    }
    return answers
  }

  /// The identifiers of the arrived deliveries.
  func arrivedIdentifiers() async throws -> [String] {
    try await peer.received().map(\.identifier)
  }
}

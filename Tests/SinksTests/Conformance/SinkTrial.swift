import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Sinks
import Systemd
import TestSupport

/// A sink before its peer, and what it logs meanwhile.
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
      in: SinkSurroundings(
        journal: journal.journal, credentials: Credentials(directory: directory.path),
        now: { Fixtures.noon }))
  }

  func log() throws -> String { try journal.text() }

  /// Hands everything over as a lane does: no more at once than the sink's window.
  func deliver(_ deliveries: [Delivery]) async throws -> [SinkAnswer] {
    guard !deliveries.isEmpty else { return try await sink.deliver([]) }
    var answers: [SinkAnswer] = []
    var rest = deliveries.map(peer.addressed)[...]
    while !rest.isEmpty {
      answers += try await sink.deliver(Array(rest.prefix(sink.window)))
      rest = rest.dropFirst(sink.window)
    }
    return answers
  }

  /// What has arrived of deliveries, by their identifiers.
  func arrived() async throws -> [String] {
    try await peer.received().map(\.identifier)
  }
}

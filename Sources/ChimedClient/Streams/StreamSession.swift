internal import EventStreams
internal import Foundation

/// Decides what a stream reports, and whether and when it connects again. It uses no clock and no
/// connection.
struct StreamSession: Sendable {
  /// The next action after a connection has ended.
  enum Step: Hashable {
    case connect(after: Duration)
    case finish
  }

  private let waits: ChimedWaits
  /// Parses the bytes into events and blocks, and knows the last event's position.
  private var events: ServerSentEvents
  /// The number of connections that ended since a complete block last arrived.
  private var failures = 0
  /// Whether the current connection has been reported as connected.
  private var hasReported = false
  /// The reason of the connection's event "end"; nil before that event.
  private var endReason: String?

  /// - Parameter position: the position to continue from; nil for a stream that begins now.
  init(after position: String?, waits: ChimedWaits) {
    self.waits = waits
    events = ServerSentEvents(lastEventID: position)
  }

  /// The position from which the next connection continues.
  var position: String? { events.lastEventID }

  /// Begins a connection.
  mutating func connect() {
    events.discardIncompleteEvent()
    (hasReported, endReason) = (false, nil)
  }

  /// Receives bytes of the current connection.
  ///
  /// - Returns: the events that they complete.
  mutating func receive(_ bytes: some Sequence<UInt8>) throws(ChimedError) -> [ChimedStreamEvent] {
    var reported: [ChimedStreamEvent] = []
    for byte in bytes {
      let (blocks, previous) = (events.blocks, position)
      let newEvents = events.append(CollectionOfOne(byte))
      guard events.blocks > blocks else { continue }
      failures = 0
      if !hasReported {
        hasReported = true
        let position = newEvents.isEmpty ? position : previous
        reported.append(ChimedStreamEvent(.connected, position: position))
      }
      for event in newEvents {
        guard let content = try content(of: event) else { continue }
        reported.append(ChimedStreamEvent(content, position: event.lastEventID))
      }
    }
    return reported
  }

  /// Returns the content of an event; nil if the event reports nothing about the recipient.
  private mutating func content(
    of event: ServerSentEvent
  ) throws(ChimedError) -> ChimedStreamEvent.Content? {
    let data = Data(event.data.utf8)
    switch event.name {
    case "notification":
      return .notification(try ChimedDocument.decode(ChimedDelivery.self, from: data))
    case "notification.withdrawn":
      return .withdrawn(try ChimedDocument.decode(ChimedWithdrawal.self, from: data))
    case "state": return .state(try ChimedDocument.decode(ChimedState.self, from: data))
    case "end":
      endReason = try ChimedDocument.decode(End.self, from: data).reason
      return nil
    default: return nil
    }
  }

  private struct End: Decodable {
    let reason: String
  }

  /// Decides about the next connection after one has ended.
  ///
  /// - Parameters:
  ///   - error: why the connection failed; nil if the service ended the connection.
  ///   - spread: a random number from 0 to 1.
  /// - Returns: the events to report, and the next action.
  /// - Throws: the error, if another connection cannot succeed; a refusal if the token is no longer
  ///   valid.
  mutating func disconnect(
    _ error: ChimedError?, spread: Double
  ) throws(ChimedError) -> (events: [ChimedStreamEvent], step: Step) {
    switch endReason {
    case "erased": return ([], .finish)
    case "unauthorized": throw .refused(Self.unauthorized)
    default: break
    }
    failures += 1
    if case .refused(let problem) = error, problem.status == 410, position != nil {
      events = ServerSentEvents()
      return ([ChimedStreamEvent(.missed, position: nil)], .connect(after: .zero))
    }
    if let error, !error.isTemporary { throw error }
    return ([], .connect(after: wait(error, spread: spread)))
  }

  private func wait(_ error: ChimedError?, spread: Double) -> Duration {
    let wait = max(waits.wait(after: failures, spread: spread), events.retry ?? .zero)
    guard case .refused(let problem) = error, let minimum = problem.retryAfter else { return wait }
    return max(wait, minimum)
  }

  private static let unauthorized = ChimedProblem(
    status: 401, type: "urn:chimed:problem:unauthenticated",
    detail: "the token is no longer valid; open the stream with another one")
}

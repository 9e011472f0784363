import CivilTime
import Engine
import HTTPTransfers
import HTTPTypes
import JSON
import Reminders

/// The destinations of groups of events: this node's service, and the other nodes of a fleet.
struct EventIntake: Sendable {
  let service: any ReminderService
  /// Submits events to other nodes of the fleet; nil if there is no fleet.
  let forwarding: EventForwarding?

  init(_ service: any ReminderService, forwarding: EventForwarding? = nil) {
    (self.service, self.forwarding) = (service, forwarding)
  }
}

/// Submits events to the nodes that own their recipients (rules F3, F10), at most once. The sender
/// must repeat events without an answer.
struct EventForwarding: Sendable {
  let directory: any FleetDirectory
  let client: PeerClient

  /// Splits events by the nodes that own their recipients.
  func division(of events: [Event]) -> EventDivision {
    EventDivision(events.map { directory.peer(having: $0.recipient) })
  }

  /// Sends events to another node, and returns their results.
  ///
  /// - Parameter arrival: the time that events without a time get.
  func results(
    of documents: [JSONValue], at peer: FleetPeer, for caller: Caller, arrival: Instant
  ) async -> [EventAnswer.Result] {
    var caller = caller
    caller.arrival = arrival
    var request = PeerClient.NodeRequest(target: EventRoute.path)
    request.fields = ForwardedHead.fields(
      of: [.contentType: "application/cloudevents-batch+json"], for: caller)
    request.body = JSONWriter.compact(.array(documents))
    do throws(Problem) {
      let (status, body) = try await client.answer(
        to: request, of: peer, bodyMax: Self.answerMax(documents.count))
      return PeerBatchResponse(status: status, body: body).results(of: documents.count, from: peer)
    } catch {
      return documents.map { _ in .refused(error) }
    }
  }

  /// The limit of a response in bytes. The result of one event is short.
  private static func answerMax(_ count: Int) -> Int { 65_536 + count * 4_096 }
}

/// Another node's response to a batch, in the format of `EventRoute`.
struct PeerBatchResponse {
  /// The HTTP status.
  let status: Int
  let body: [UInt8]

  /// - Returns: the result of each event, in order.
  func results(of count: Int, from peer: FleetPeer) -> [EventAnswer.Result] {
    let document = try? JSONParser.parse(body)
    if [200, 207].contains(status), let items = document?["items"]?.arrayValue, items.count == count
    {
      return items.map { Self.result($0) ?? Self.unreadable(peer) }
    }
    let result = document.flatMap { Problem(reading: $0) }.map { EventAnswer.Result.refused($0) }
    return Array(repeating: result ?? Self.unreadable(peer), count: count)
  }

  private static func result(_ item: JSONValue) -> EventAnswer.Result? {
    switch item["status"]?.stringValue {
    case "accepted": .accepted
    case "duplicate": .duplicate
    case "refused": item["problem"].flatMap { Problem(reading: $0) }.map { .refused($0) }
    default: nil
    }
  }

  private static func unreadable(_ peer: FleetPeer) -> EventAnswer.Result {
    .refused(Problem(peer, after: .notHTTP))
  }
}

extension Problem {
  /// Reads a problem that another node wrote; nil if the document is not one.
  init?(reading document: JSONValue) {
    let prefix = "urn:chimed:problem:"
    guard let type = document["type"]?.stringValue, type.hasPrefix(prefix),
      let kind = ProblemKind(rawValue: String(type.dropFirst(prefix.count))),
      let detail = document["detail"]?.stringValue
    else { return nil }
    let headers: HTTPFields =
      switch kind {
      case .unavailable: [.retryAfter: "1"]
      case .storageFull: [.retryAfter: "60"]
      default: [:]
      }
    self.init(kind, detail, path: document["path"]?.stringValue, headers: headers)
  }
}

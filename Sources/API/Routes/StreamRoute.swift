import Access
import Engine
import HTTPTypes
import HummingbirdCore
import Outbox
import Reminders

/// Streams a recipient's notifications as they are sent (rule D4); each client acts as a sink, like
/// a delivery service.
struct StreamRoute: Sendable {
  let service: any ReminderService
  let admission: StreamAdmission

  static let channelsDefault: [Channel] = [.inapp, .push]

  var route: Route {
    Route(.get, "/v1/recipients/{recipient}/stream", .stream, answer: .recipient(answer))
  }

  private func answer(_ call: Call, _ recipient: String) async throws -> Response {
    var channels = try Self.channels(call.parameters["channels"])
    let start = call.lastEventID
    let reportsState = try call.isSet("state")
    if reportsState, Texts.areHidden { channels = [] } else { try Texts.checkShown() }
    let stream = try admission.open(call) { (try? $0.recipient(named: recipient)) != nil }
    let (watch, backlog, cursor) = try await watch(recipient, from: start, signal: stream.signal)
    let first = try await page(of: watch, backlog, channels, from: start)
    // The client gets the notifications of the first page, so it also needs their withdrawals. Only
    // the earlier withdrawals are known.
    let query = WithdrawalsQuery(of: watch, before: backlog, on: channels)
    let known = try await start == nil ? service.result(of: query) : []
    let deliveries = DeliveryStream(
      service: service, watch: watch, stream: stream, channels: channels,
      knownWithdrawals: Set(known.map(\.fullIdentifier)),
      stateRecipient: reportsState ? recipient : nil)
    return .events { try await deliveries.run(from: cursor, first, to: &$0) }
  }

  // MARK: - The service

  /// Begins to watch the recipient's deliveries after the event with the id `start`, or from now if
  /// `start` is nil.
  private func watch(
    _ recipient: String, from start: String?, signal: StreamSignal
  ) async throws(Problem) -> (Watch, StreamBacklog, cursor: String) {
    switch try await service.result(of: WatchQuery(recipient, from: start, signal: signal)) {
    case .watching(let watch, let backlog, let cursor): return (watch, backlog, cursor)
    case .unknownRecipient: throw Problem.unknown(recipient: recipient)
    case .unknownCursor:
      throw Problem(
        .lostCursor,
        "\"\((start ?? "").shortened)\" is not, or is no longer, the id of an event of this "
          + "stream; \(Self.remedy)")
    case .elsewhere(let shard): throw Problem(ServiceUnavailable(elsewhere: shard))
    }
  }

  /// Returns the first page that has items, or the last page if none has.
  private func page(
    of watch: Watch, _ start: StreamBacklog, _ channels: ChannelSet, from cursor: String?
  ) async throws(Problem) -> StreamPage {
    var backlog = start
    while true {
      let query = StreamPageQuery(of: watch, backlog, on: channels)
      guard let page = try await service.result(of: query) else {
        throw Problem(
          .lostCursor,
          "too many notifications were sent since \"\((cursor ?? "").shortened)\"; "
            + Self.remedy)
      }
      if !page.items.isEmpty || !page.hasMore { return page }
      backlog = page.backlog
    }
  }

  private static let remedy =
    "read /notifications for past ones, and open the stream without an id"

  // MARK: - Parameters

  private static func channels(_ text: String?) throws(Problem) -> ChannelSet {
    guard let text else { return ChannelSet(channelsDefault.map(ChannelSet.init)) }
    var channels: ChannelSet = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let channel = Channel(name: String(name)) else {
        let channelNames = Channel.allCases.map(\.name).joined(separator: ", ")
        throw Problem(
          .invalidParameter,
          "channels must be some of \(channelNames), separated by commas; "
            + "\"\(String(name).shortened)\" is not a channel", path: "channels")
      }
      channels.insert(ChannelSet(channel))
    }
    return channels
  }
}

extension Call {
  /// The id of the event after which a stream continues. The header, which clients send when they
  /// reconnect, takes precedence over the parameter.
  var lastEventID: String? {
    let ids = [request.headers[.lastEventID], parameters["lastEventId"]]
    return ids.compactMap(\.self).first { !$0.isEmpty }
  }
}

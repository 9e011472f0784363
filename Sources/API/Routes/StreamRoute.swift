import Access
import Engine
import HTTPTypes
import HummingbirdCore
import Reminders

/// What goes out to a person, as it goes out (rule D4): a sink that every client carries with it.
struct StreamRoute: Sendable {
  let service: any ReminderService
  let gate: StreamGate

  static let usualChannels: [Channel] = [.inapp, .push]

  var route: Route {
    Route(.get, "/v1/recipients/{recipient}/stream", .stream, answer: .recipient(answer))
  }

  private func answer(_ call: Call, _ recipient: String) async throws -> Response {
    var channels = try Self.channels(call.parameters["channels"])
    let start = call.lastEvent
    let tellsState = try call.isSet("state")
    if tellsState, Texts.areHidden { channels = [] } else { try Texts.checkShown() }
    let stream = try gate.open(call) { (try? $0.recipient(named: recipient)) != nil }
    let (watch, backlog, place) = try await watch(recipient, from: start, telling: stream.signal)
    let first = try await page(of: watch, backlog, channels, from: start)
    let deliveries = DeliveryStream(
      service: service, watch: watch, stream: stream, channels: channels,
      whoseState: tellsState ? recipient : nil)
    return .events { try await deliveries.run(from: place, first, to: &$0) }
  }

  // MARK: - The service

  private func watch(
    _ recipient: String, from start: String?, telling signal: StreamSignal
  ) async throws(Problem) -> (Watch, Backlog, place: String) {
    let answer: WatchAnswer
    do {
      answer = try await service.watch(recipient, from: start, telling: signal)
    } catch {
      throw Problem(error)
    }
    switch answer {
    case .watching(let watch, let backlog, let place): return (watch, backlog, place)
    case .unknownRecipient: throw Problem.unknown(recipient: recipient)
    case .unknownPlace:
      throw Problem(
        .lostPlace,
        "\"\((start ?? "").shortened)\" is not the id of an event of this person's stream, or not "
          + "any more; \(Self.remedy)")
    }
  }

  /// The first page with something on it, or the last.
  private func page(
    of watch: Watch, _ start: Backlog, _ channels: ChannelSet, from place: String?
  ) async throws(Problem) -> StreamPage {
    var backlog = start
    while true {
      let page: StreamPage?
      do {
        page = try await service.page(of: watch, backlog, on: channels)
      } catch {
        throw Problem(error)
      }
      guard let page else {
        throw Problem(
          .lostPlace,
          "more has gone out since \"\((place ?? "").shortened)\" than a stream makes up for; "
            + Self.remedy)
      }
      if !page.items.isEmpty || !page.hasMore { return page }
      backlog = page.backlog
    }
  }

  private static let remedy =
    "read /notifications for what there was, and open the stream without an id"

  // MARK: - Parameters

  private static func channels(_ text: String?) throws(Problem) -> ChannelSet {
    guard let text else { return ChannelSet(usualChannels.map(ChannelSet.init)) }
    var channels: ChannelSet = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let channel = Channel(name: String(name)) else {
        let known = Channel.allCases.map(\.name).joined(separator: ", ")
        throw Problem(
          .invalidParameter,
          "channels must be some of \(known), with commas between them; "
            + "\"\(String(name).shortened)\" is none", path: "channels")
      }
      channels.insert(ChannelSet(channel))
    }
    return channels
  }
}

extension Call {
  /// Behind which event a stream is to go on. What a client sends by itself when it connects again
  /// counts before what stands in an address.
  var lastEvent: String? {
    let given = [request.headers[.lastEventID], parameters["lastEventId"]]
    return given.compactMap(\.self).first { !$0.isEmpty }
  }
}

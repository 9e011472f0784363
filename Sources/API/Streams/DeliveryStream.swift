import Engine
import HummingbirdCore
import NIOCore
import Outbox
import Reminders

/// Streams a recipient's notifications, and their withdrawals, until either side ends the stream.
///
/// Nothing is queued for a stream: the stream is signalled, and then reads from the service. A
/// client that does not read is disconnected, as on any connection, and can continue from its last
/// event.
struct DeliveryStream: Sendable {
  let service: any ReminderService
  /// While the watch exists, the engine signals deliveries to the recipient.
  let watch: Watch
  let stream: OpenStream
  let channels: ChannelSet
  /// The ids of the withdrawn deliveries that the client does not need, because they precede a
  /// stream that begins now. Empty for a client that continues, because it may have missed any.
  let knownWithdrawals: Set<String>
  /// The recipient whose state is streamed too; nil if the client did not request state events.
  let stateRecipient: String?

  /// - Parameters:
  ///   - cursor: the id from which a client that has received no event continues after a
  ///     reconnection.
  ///   - first: the items to send immediately.
  func run(
    from cursor: String, _ first: StreamPage, to writer: inout any ResponseBodyWriter
  ) async throws {
    let opening = ServerSentEvents.opening(cursor: cursor, retry: stream.limits.reconnection)
    try await stream.run(opening, to: &writer) { try await follow(first, &$0) }
  }

  /// - Returns: why the stream ends; nil if the client has disconnected.
  private func follow(
    _ first: StreamPage, _ writer: inout any ResponseBodyWriter
  ) async throws -> StreamEnd? {
    var page = first
    var state: RecipientState?
    var withdrawals = knownWithdrawals
    try await send(page, &writer)
    if !page.hasMore { try await sendWithdrawals(&withdrawals, before: page.backlog, &writer) }
    try await sendState(&state, &writer)
    while true {
      let news = await news(page)
      if let ending = stream.ending(by: news) { return ending.reason }
      if news.contains(.silence) { try await writer.write(ServerSentEvents.heartbeat) }
      guard news.contains(.deliveries) else { continue }
      switch await next(page) {
      case .success(let next): page = next
      case .failure(let end): return end
      }
      try await send(page, &writer)
      if page.hasMore { continue }
      try await sendWithdrawals(&withdrawals, before: page.backlog, &writer)
      try await sendState(&state, &writer)
    }
  }

  /// Sends the withdrawals that are not in `known`, and updates `known`. A notification after the
  /// page follows with the next page, and so does its withdrawal.
  private func sendWithdrawals(
    _ known: inout Set<String>, before backlog: StreamBacklog,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    let query = WithdrawalsQuery(of: watch, before: backlog, on: channels)
    let withdrawn = try await service.answer(query).compactMap { WithdrawnDelivery($0) }
    for delivery in withdrawn where !known.contains(delivery.fullIdentifier) {
      try await writer.write(ServerSentEvents.withdrawal(delivery))
    }
    known = Set(withdrawn.map(\.fullIdentifier))
  }

  /// Sends the recipient's state if it differs from the last state sent.
  private func sendState(
    _ lastState: inout RecipientState?, _ writer: inout any ResponseBodyWriter
  ) async throws {
    guard let stateRecipient else { return }
    let state = try await service.state(of: stateRecipient)
    guard state != lastState else { return }
    lastState = state
    try await writer.write(state.event)
  }

  /// Waits for a signal, unless there is more to read.
  private func news(_ page: StreamPage) async -> StreamSignal.News {
    if page.hasMore, !stream.signal.isEnding { return .deliveries }
    return await stream.signal.next()
  }

  private func next(_ page: StreamPage) async -> Result<StreamPage, StreamEnd> {
    do {
      let next = try await service.answer(
        StreamPageQuery(of: watch, page.backlog, on: channels))
      return next.map { .success($0) } ?? .failure(.behind)
    } catch {
      return .failure(.stopping)
    }
  }

  private func send(
    _ page: StreamPage, _ writer: inout any ResponseBodyWriter
  ) async throws {
    let text = ServerSentEvents.page(page)
    if text.readableBytes > 0 { try await writer.write(text) }
  }
}

import Engine
import HummingbirdCore
import NIOCore
import Reminders
import ServiceLifecycle

/// A stream of what goes out to a recipient, from when it is opened until either side ends it.
///
/// Nothing is queued for it: when something was recorded it is told so, and reads. A client that
/// does not keep up is cut off as everywhere, and goes on from where it was.
struct DeliveryStream: Sendable {
  let service: any ReminderService
  let watch: Watch
  let signal: StreamSignal
  let channels: ChannelSet
  let limits: APILimits
  let scope: RequestScope
  /// Of whom it tells what else changes; nil where nobody wants to know.
  let whoseState: String?
  /// Whether the client may still ask for it.
  let isAdmitted: @Sendable () -> Bool

  /// - Parameters:
  ///   - place: the id to go on from if nothing comes.
  ///   - first: what there is to be sent at once.
  func run(
    from place: String, _ first: StreamPage, to writer: inout any ResponseBodyWriter
  ) async throws {
    let beat = TimeAmount(limits.heartbeat)
    let beats = scope.channel.eventLoop.scheduleRepeatedTask(initialDelay: beat, delay: beat) {
      [signal] _ in signal.send(.silence)
    }
    defer { beats.cancel() }
    scope.channel.closeFuture.whenComplete { [signal] _ in signal.send(.disconnection) }
    scope.noticePeersThatVanish(after: limits.stall)
    try await writer.write(
      ServerSentEvents.opening(place: place, retry: limits.reconnection))
    let end = try await withGracefulShutdownHandler {
      try await follow(first, &writer)
    } onGracefulShutdown: {
      signal.send(.stopping)
    }
    guard let end else { return }
    try await writer.write(ServerSentEvents.end(end))
    try await writer.finish(nil)
  }

  /// - Returns: why the stream has to end; nil if the client has gone.
  private func follow(
    _ first: StreamPage, _ writer: inout any ResponseBodyWriter
  ) async throws -> StreamEnd? {
    var page = first
    var state: PersonState?
    try await send(page, &writer)
    try await tell(&state, &writer)
    while true {
      let news = await news(page)
      if let end = StreamEnd(news) { return end }
      if news.contains(.disconnection) { return nil }
      guard isAdmitted() else { return .unauthorized }
      if news.contains(.silence) { try await writer.write(ServerSentEvents.silence) }
      guard news.contains(.deliveries) else { continue }
      switch await next(page) {
      case .success(let next): page = next
      case .failure(let end): return end
      }
      try await send(page, &writer)
      if !page.hasMore { try await tell(&state, &writer) }
    }
  }

  /// Tells what else has changed of the person since it was last told, if anything has.
  private func tell(
    _ known: inout PersonState?, _ writer: inout any ResponseBodyWriter
  ) async throws {
    guard let whoseState else { return }
    let state = try await service.state(of: whoseState)
    guard state != known else { return }
    known = state
    try await writer.write(state.event)
  }

  /// Waits only when there is nothing more to be read.
  private func news(_ page: StreamPage) async -> StreamSignal.News {
    if page.hasMore, !signal.isEnding { return .deliveries }
    return await signal.next()
  }

  private func next(_ page: StreamPage) async -> Result<StreamPage, StreamEnd> {
    do {
      let next = try await service.page(of: watch, page.backlog, on: channels)
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

extension StreamEnd {
  fileprivate init?(_ news: StreamSignal.News) {
    if news.contains(.erasure) {
      self = .erased
    } else if news.contains(.stopping) {
      self = .stopping
    } else {
      return nil
    }
  }
}

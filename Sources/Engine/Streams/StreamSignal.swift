import Synchronization

/// What has happened that a stream has to look at. However often something happens, it is kept
/// once: so nothing piles up for a stream whose reader is slow.
///
/// For any number of senders and one receiver.
package final class StreamSignal: Sendable {
  package struct News: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// There may be something to read.
    package static let deliveries = News(rawValue: 1)
    /// The reader's connection has been silent for a while.
    package static let silence = News(rawValue: 2)
    /// The recipient was erased.
    package static let erasure = News(rawValue: 4)
    /// The service stops.
    package static let stopping = News(rawValue: 8)
    /// The reader has gone.
    package static let disconnection = News(rawValue: 16)

    /// What the stream ends with.
    package static let ends: News = [.erasure, .stopping, .disconnection]
  }

  private struct State {
    var news: News = []
    var receiver: CheckedContinuation<News, Never>?
    /// What the receiver does not want to be told of yet.
    var ignored: News = []

    /// Nil if nothing has happened that is wanted; what is ignored is kept.
    mutating func take() -> News? {
      let wanted = news.subtracting(ignored)
      guard !wanted.isEmpty else { return nil }
      news = news.intersection(News.ends.union(ignored))
      return wanted
    }
  }

  private let state = Mutex(State())

  package init() {}

  package func send(_ news: News) {
    let (receiver, taken) = state.withLock { state -> (CheckedContinuation<News, Never>?, News) in
      state.news.formUnion(news)
      guard state.receiver != nil, let taken = state.take() else { return (nil, []) }
      return (state.receiver.take(), taken)
    }
    receiver?.resume(returning: taken)
  }

  /// Waits until something has happened, and takes it; what ends the stream stays.
  ///
  /// - Parameter ignored: what is kept for later, should it happen.
  package func next(besides ignored: News = []) async -> News {
    await withCheckedContinuation { continuation in
      let news = state.withLock { state -> News? in
        state.ignored = ignored
        if let news = state.take() { return news }
        state.receiver = continuation
        return nil
      }
      if let news { continuation.resume(returning: news) }
    }
  }

  /// Takes what has happened, without waiting for it.
  func take() -> News {
    state.withLock { $0.take() ?? [] }
  }

  /// Whether the stream has to end.
  package var isEnding: Bool { state.withLock { !$0.news.isDisjoint(with: .ends) } }
}

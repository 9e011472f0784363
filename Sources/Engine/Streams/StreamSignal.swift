import Synchronization

/// Wakes a stream. Repeated signals of a kind count as one, so that nothing accumulates for a slow
/// reader.
///
/// Any number of senders may signal one receiver. Thread-safe.
package final class StreamSignal: Sendable {
  /// The kinds of signals.
  package struct News: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// There may be something new to read: deliveries, the service's state, or log entries.
    package static let deliveries = News(rawValue: 1)
    /// The connection has been silent for a while.
    package static let silence = News(rawValue: 2)
    /// The recipient was erased.
    package static let erasure = News(rawValue: 4)
    /// The service stops.
    package static let stopping = News(rawValue: 8)
    /// The client has disconnected.
    package static let disconnection = News(rawValue: 16)

    /// The signals that end a stream.
    package static let ends: News = [.erasure, .stopping, .disconnection]
  }

  private struct State {
    /// The pending signals.
    var news: News = []
    /// The stream that waits for a signal; nil if it does not wait.
    var receiver: CheckedContinuation<News, Never>?
    /// Signals that the receiver does not wait for.
    var ignored: News = []

    /// Returns the pending signals that are not ignored; nil if there is none. Clears the returned
    /// signals that do not end the stream.
    mutating func take() -> News? {
      let pending = news.subtracting(ignored)
      guard !pending.isEmpty else { return nil }
      news = news.intersection(News.ends.union(ignored))
      return pending
    }
  }

  private let state = Mutex(State())

  package init() {}

  /// Adds signals, and wakes the stream if it waits for one of them.
  package func send(_ news: News) {
    let (receiver, signals) = state.withLock { state -> (CheckedContinuation<News, Never>?, News) in
      state.news.formUnion(news)
      guard state.receiver != nil, let signals = state.take() else { return (nil, []) }
      return (state.receiver.take(), signals)
    }
    receiver?.resume(returning: signals)
  }

  /// Waits for a signal and returns all pending signals. Signals that end the stream stay pending.
  ///
  /// - Parameter ignored: signals that stay pending and do not end the wait.
  package func next(ignoring ignored: News = []) async -> News {
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

  /// Returns the pending signals without waiting.
  func take() -> News {
    state.withLock { $0.take() ?? [] }
  }

  /// Whether a signal that ends the stream is pending.
  package var isEnding: Bool { state.withLock { !$0.news.isDisjoint(with: .ends) } }
}

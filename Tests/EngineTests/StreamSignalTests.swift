import Engine
import Testing

/// The signals that a stream receives, some of which it postpones.
@Suite(.timeLimit(.minutes(1))) struct StreamSignalTests {
  private let signal = StreamSignal()

  @Test func `signals that a stream ignores are kept for later`() async {
    signal.send(.deliveries)
    signal.send(.silence)
    #expect(await signal.next(ignoring: .deliveries) == .silence)
    #expect(await signal.next() == .deliveries)
  }

  @Test func `signals that a stream ignores do not wake it`() async {
    async let news = signal.next(ignoring: .deliveries)
    signal.send(.deliveries)
    signal.send(.silence)
    #expect(await news == .silence)
    #expect(await signal.next() == .deliveries)
  }

  @Test func `a signal that ends the stream is returned by every later read`() async {
    signal.send([.deliveries, .stopping])
    #expect(await signal.next(ignoring: .deliveries) == .stopping)
    #expect(await signal.next() == [.deliveries, .stopping])
    #expect(await signal.next() == .stopping)
    #expect(signal.isEnding)
  }
}

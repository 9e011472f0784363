import Engine
import Testing

/// The signals that a stream receives, some of which it postpones.
@Suite(.timeLimit(.minutes(1))) struct StreamSignalTests {
  private let signal = StreamSignal()

  @Test func `signals that a stream ignores are kept for later`() async {
    signal.send(.deliveries)
    signal.send(.silence)
    #expect(await signal.next(besides: .deliveries) == .silence)
    #expect(await signal.next() == .deliveries)
  }

  @Test func `signals that a stream ignores do not wake it`() async {
    async let news = signal.next(besides: .deliveries)
    signal.send(.deliveries)
    signal.send(.silence)
    #expect(await news == .silence)
    #expect(await signal.next() == .deliveries)
  }

  @Test func `a signal that ends the stream stays after it is read`() async {
    signal.send([.deliveries, .stopping])
    #expect(await signal.next(besides: .deliveries) == .stopping)
    #expect(await signal.next() == [.deliveries, .stopping])
    #expect(await signal.next() == .stopping)
    #expect(signal.isEnding)
  }
}

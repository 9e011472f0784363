import Engine
import Testing

/// The news for a stream, and news that it postpones.
@Suite(.timeLimit(.minutes(1))) struct StreamSignalTests {
  private let signal = StreamSignal()

  @Test func `ignored news are kept for later`() async {
    signal.send(.deliveries)
    signal.send(.silence)
    #expect(await signal.next(besides: .deliveries) == .silence)
    #expect(await signal.next() == .deliveries)
  }

  @Test func `ignored news do not wake a waiting stream`() async {
    async let news = signal.next(besides: .deliveries)
    signal.send(.deliveries)
    signal.send(.silence)
    #expect(await news == .silence)
    #expect(await signal.next() == .deliveries)
  }

  @Test func `news that end the stream remain`() async {
    signal.send([.deliveries, .stopping])
    #expect(await signal.next(besides: .deliveries) == .stopping)
    #expect(await signal.next() == [.deliveries, .stopping])
    #expect(await signal.next() == .stopping)
    #expect(signal.isEnding)
  }
}

import Engine
import Testing

/// What a stream is told of, and what it wants to be told of later.
@Suite(.timeLimit(.minutes(1))) struct StreamSignalTests {
  private let signal = StreamSignal()

  @Test func whatIsIgnoredIsKeptForLater() async {
    signal.send(.deliveries)
    signal.send(.silence)
    #expect(await signal.next(besides: .deliveries) == .silence)
    #expect(await signal.next() == .deliveries)
  }

  @Test func whatIsIgnoredWakesNobody() async {
    async let news = signal.next(besides: .deliveries)
    signal.send(.deliveries)
    signal.send(.silence)
    #expect(await news == .silence)
    #expect(await signal.next() == .deliveries)
  }

  @Test func whatEndsItStays() async {
    signal.send([.deliveries, .stopping])
    #expect(await signal.next(besides: .deliveries) == .stopping)
    #expect(await signal.next() == [.deliveries, .stopping])
    #expect(await signal.next() == .stopping)
    #expect(signal.isEnding)
  }
}

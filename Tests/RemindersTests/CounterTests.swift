import Reminders
import Testing

@Suite struct CounterTests {
  @Test func `counters count by key`() {
    var tally = Counter<String>()
    #expect(tally.isEmpty && tally.counts == [:])
    for key in ["a", "a", "b", "a"] { tally.add(key) }
    tally.add("b", 3)
    #expect(tally.counts == ["a": 3, "b": 4])
    var other = Counter<String>()
    other.add("b")
    other.add(tally)
    #expect(other.counts == ["a": 3, "b": 5] && !other.isEmpty)
  }

  @Test func `a histogram counts each value at the lowest bound that it does not exceed`() {
    var histogram = Histogram(bounds: [1, 10])
    for value in [0.5, 1, 1.5, 10, 11] { histogram.observe(value) }
    #expect(histogram.counts == [2, 2, 1])
    #expect(histogram.count == 5 && histogram.sum == 24)
    var other = Histogram(bounds: [1, 10])
    other.observe(0)
    other.add(histogram)
    #expect(other.counts == [3, 2, 1] && other.sum == 24)
  }
}

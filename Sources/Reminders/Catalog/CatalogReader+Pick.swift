import CivilTime
import Yams

extension CatalogReader {
  /// Reads `pick: {between: ["10:00", "18:00"], times: 3, apart: 90m}`.
  mutating func pickedTimes(_ node: Node, _ draft: Draft) -> PickedTimes? {
    let members = members(node, of: "\"pick\"", .pick)
    let window = members["between"].flatMap { self.window($0, draft) }
    let count = members["times"].flatMap { pickCount($0, draft) }
    let apart = members["apart"].flatMap { distance($0) }
    guard let window, let count, let apart else { return nil }
    let name = draft.members["repeats"]?.string ?? draft.name
    let picked = PickedTimes(
      reminder: Symbol(name), start: window.start, end: window.end, count: count, apart: apart)
    checkRoom(picked, node)
    return picked
  }

  private mutating func window(
    _ node: Node, _ draft: Draft
  ) -> (start: TimeSource, end: TimeSource)? {
    guard let nodes = node.sequence, nodes.count == 2 else {
      report(node, "\"between\" must be two times of day, such as [\"10:00\", \"18:00\"]")
      return nil
    }
    let start = timeSource(nodes[0], groups: draft.groups)
    let end = timeSource(nodes[1], groups: draft.groups)
    guard let start, let end else { return nil }
    let settings = Settings(schema: catalog.settings, registers: [])
    guard start.time(settings) < end.time(settings) else {
      report(
        node,
        "\"between\" must end after it begins, on the same date; \(end.time(settings)) is not "
          + "after \(start.time(settings))")
      return nil
    }
    return (start, end)
  }

  private mutating func pickCount(_ node: Node, _ draft: Draft) -> CountsSource? {
    guard let count = countsSource(node, "times", groups: draft.groups, exactlyOne: true) else {
      return nil
    }
    if case .fixed(let numbers) = count,
      !numbers.allSatisfy((1...Int64(PickedTimes.countMax)).contains)
    {
      report(node, "\"times\" must be from 1 to \(PickedTimes.countMax)")
      return nil
    }
    return count
  }

  /// Reads the distance between two picked times, in minutes.
  private mutating func distance(_ node: Node) -> Int? {
    guard let span = span(node, "apart") else { return nil }
    let minute = TimeSpan.minutes(1).milliseconds
    guard span.milliseconds >= minute, span <= .days(1), span.milliseconds % minute == 0 else {
      report(node, "\"apart\" must be whole minutes from 1m to 24h; it is \(span)")
      return nil
    }
    return Int(span.milliseconds / minute)
  }

  /// Reports a window that cannot hold the times by default.
  private mutating func checkRoom(_ picked: PickedTimes, _ node: Node) {
    let settings = Settings(schema: catalog.settings, registers: [])
    let window = picked.window(settings)
    let length = window.end.minuteOfDay - window.start.minuteOfDay
    let count = picked.wantedCount(settings)
    let fitting = picked.fittingCount(count, in: length)
    guard fitting < count else { return }
    let need = TimeSpan.minutes((count - 1) * picked.apart)
    report(
      node,
      "\(count) times at least \(TimeSpan.minutes(picked.apart)) apart need \(need), and "
        + "\"between\" has \(TimeSpan.minutes(length)); use a longer window, at most \(fitting) "
        + "times, or at most \(TimeSpan.minutes(length / (count - 1))) apart")
  }
}

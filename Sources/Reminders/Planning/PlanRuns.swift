/// The series of one reminder's plans, for repeated look-ups.
struct PlanRuns: Sendable {
  private let items: Range<Int>
  /// The series of each item; nil for an item without one.
  private let runs: [PlanRun?]
  /// The indices in `runs` by the code of the series.
  private let indices: [Int64: Int]

  /// - Parameter items: the indices of the items, in whose order the series are.
  init(_ runs: [PlanRun?], of items: Range<Int>) {
    (self.runs, self.items) = (runs, items)
    indices = runs.indices.reduce(into: [:]) { indices, index in
      if let run = runs[index] { indices[run.series] = index }
    }
  }

  subscript(item item: Int) -> PlanRun? {
    Work.countStep()
    return items.contains(item) ? runs[item - items.lowerBound] : nil
  }

  subscript(series series: Int64) -> PlanRun? {
    Work.countStep()
    return indices[series].flatMap { runs[$0] }
  }
}

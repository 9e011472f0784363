/// A summary of one recipient's events of one type, in a few bytes. It is the same for every order
/// of arrival. An `Item`, in contrast, remembers a single event.
package struct Mark: Hashable, Sendable {
  package let type: Symbol
  /// The stamp of the earliest event.
  package private(set) var first: Stamp
  /// The stamp of the latest event.
  package private(set) var last: Stamp
  /// The highest number so far, with the stamp of the first event that reached it.
  package private(set) var peak: Numbered?
  /// The latest report of each number, sorted by number.
  package private(set) var reports: [Numbered]

  package struct Numbered: Hashable, Sendable {
    /// The number that the event carried, such as a lesson's day.
    package var number: Int64
    package var stamp: Stamp
    /// Whether the recipient was in the app at the time of the event.
    package var isInteractive = false
  }

  package init(
    type: Symbol, first: Stamp, last: Stamp, peak: Numbered? = nil, reports: [Numbered] = []
  ) {
    self.type = type
    self.first = first
    self.last = last
    self.peak = peak
    self.reports = reports
  }

  package init(type: Symbol, at stamp: Stamp) {
    self.init(type: type, first: stamp, last: stamp)
  }

  /// Adds an event of the type. The order of calls does not matter, because only minima and maxima
  /// are stored. An event without a number, or of a type without a memory, changes only `first` and
  /// `last`.
  package mutating func record(
    _ stamp: Stamp, number: Int64?, memory: EventSchema.Memory?, isInteractive: Bool = false
  ) {
    first = min(first, stamp)
    last = max(last, stamp)
    guard let number, let memory else { return }
    switch memory {
    case .highest: raisePeak(to: number, at: stamp)
    case .each:
      recordReport(Numbered(number: number, stamp: stamp, isInteractive: isInteractive))
    }
  }

  /// Returns the latest report of a number.
  ///
  /// - Complexity: linear in the reported numbers.
  package func report(of number: Int64) -> Numbered? {
    reports.first { $0.number == number }
  }

  private mutating func raisePeak(to number: Int64, at stamp: Stamp) {
    guard let current = peak, current.number >= number else {
      peak = Numbered(number: number, stamp: stamp)
      return
    }
    if current.number == number, stamp < current.stamp { peak?.stamp = stamp }
  }

  private mutating func recordReport(_ new: Numbered) {
    let index = reports.firstIndex { $0.number >= new.number } ?? reports.endIndex
    guard index < reports.endIndex, reports[index].number == new.number else {
      return reports.insert(new, at: index)
    }
    if reports[index].stamp < new.stamp { reports[index] = new }
  }
}

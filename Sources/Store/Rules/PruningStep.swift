/// Limits the work of a step of pruning, during which the engine does nothing else (rule H7).
package enum PruningStep {
  /// The maximum number of recipients whose rows a step removes. To read, change and write a
  /// recipient with all that rule H12 allows takes milliseconds.
  package static let recipientsMax = 16

  /// Returns how many of the next rows a step examines, so that it removes rows of at most
  /// `recipientsMax` recipients.
  ///
  /// - Parameter recipients: the recipient of each row; nil for a row that stays.
  package static func examinedCount(of recipients: [Int64?]) -> Int {
    var seen: Set<Int64> = []
    let end = recipients.firstIndex { recipient in
      guard let recipient else { return false }
      seen.insert(recipient)
      return seen.count > recipientsMax
    }
    return end ?? recipients.count
  }
}

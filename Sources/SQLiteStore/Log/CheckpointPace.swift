/// Decides when the log is moved into the database, and by whom.
///
/// SQLite begins the log anew only if all of it has been moved when a transaction begins, which is
/// never so where commits go on beside the moving. So somebody beside moves nearly all of it, and
/// who commits the little that has come since, between two commits.
struct CheckpointPace: Equatable {
  enum Step: Equatable {
    case nothing
    /// Moves what there is, beside the commits.
    case beside
    /// Moves the rest before the next commit.
    case here
  }

  /// From how many pages on the log is moved.
  let limit: Int
  /// From how many pages on it is moved next.
  private var next: Int
  /// How many pages it had when it was last looked at.
  private var last = 0
  /// How often somebody beside has been asked, as long as they are at it.
  private var rounds = 0

  /// How often somebody beside is asked before the rest is done whatever it is.
  private static let roundsMax = 3

  init(limit: Int) {
    self.limit = max(1, limit)
    next = self.limit
  }

  /// As few pages as hold up nobody.
  private var few: Int { limit / 32 }

  /// What to do after a commit, while nobody moves anything.
  ///
  /// - Parameter pages: how many the log has.
  mutating func committed(_ pages: Int) -> Step {
    look(pages)
    guard pages >= next else { return .nothing }
    rounds = 1
    return .beside
  }

  /// What to do after a commit, as somebody beside has done what they were asked for.
  ///
  /// - Parameters:
  ///   - moved: how many pages of the log are in the database; 0 if they could not.
  ///   - pages: how many the log has.
  mutating func cameBack(moved: Int, of pages: Int) -> Step {
    let hasBegunAnew = pages < last || pages < moved
    look(pages)
    if hasBegunAnew { return .nothing }
    if moved > 0, pages - moved > few, rounds < Self.roundsMax {
      rounds += 1
      return .beside
    }
    // Whoever reads an older state keeps the log from beginning anew, for a while.
    next = max(limit, pages) + limit / 16
    return .here
  }

  private mutating func look(_ pages: Int) {
    // It has begun anew.
    if pages < last { next = limit }
    last = pages
  }
}

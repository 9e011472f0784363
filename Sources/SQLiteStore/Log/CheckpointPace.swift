/// Decides when to move the write-ahead log into the database, and on which thread.
///
/// SQLite restarts the log only if a transaction begins when all of the log has been moved. While
/// commits continue during the move, that never happens. So a helper thread moves nearly all of it,
/// and the committing thread moves the small rest between two commits.
struct CheckpointPace: Equatable {
  /// What to do after a commit.
  enum Step: Equatable {
    case nothing
    /// Start the helper thread.
    case startHelper
    /// Move the rest before the next commit.
    case moveOnCommitter
  }

  /// The usual number of pages in the log at which a move begins.
  let limit: Int
  /// The number of pages in the log at which the next move begins.
  private var nextStart: Int
  /// The number of pages in the log after the previous commit.
  private var lastCount = 0
  /// How often the helper has run in the current move.
  private var rounds = 0

  /// The number of runs of the helper after which the committing thread moves the rest, even a long
  /// one.
  private static let roundsMax = 3

  init(limit: Int) {
    self.limit = max(1, limit)
    nextStart = self.limit
  }

  /// The number of pages that the committing thread can move without a noticeable delay.
  private var smallCount: Int { limit / 32 }

  /// Returns the step after a commit while no helper runs.
  ///
  /// - Parameter pages: the number of pages in the log.
  mutating func stepAfterCommit(_ pages: Int) -> Step {
    update(pages)
    guard pages >= nextStart else { return .nothing }
    rounds = 1
    return .startHelper
  }

  /// Returns the step after a commit when the helper has finished.
  ///
  /// - Parameters:
  ///   - moved: the number of pages of the log that are in the database; 0 if none could be moved.
  ///   - pages: the number of pages in the log.
  mutating func stepAfterHelper(moved: Int, of pages: Int) -> Step {
    let hasRestarted = pages < lastCount || pages < moved
    update(pages)
    if hasRestarted { return .nothing }
    if moved > 0, pages - moved > smallCount, rounds < Self.roundsMax {
      rounds += 1
      return .startHelper
    }
    // A reader of an older state may prevent the log from restarting for a while, so the next move
    // does not begin at once.
    nextStart = max(limit, pages) + limit / 16
    return .moveOnCommitter
  }

  private mutating func update(_ pages: Int) {
    // The log has restarted.
    if pages < lastCount { nextStart = limit }
    lastCount = pages
  }
}

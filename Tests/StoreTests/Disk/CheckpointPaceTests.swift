import Testing

@testable import SQLiteStore

/// When the log is moved into the database, and on which thread.
@Suite struct CheckpointPaceTests {
  var pace = CheckpointPace(limit: 3_200)

  @Test mutating func `a short log is left alone`() {
    #expect(pace.stepAfterCommit(3_199) == .nothing)
    #expect(pace.stepAfterCommit(3_200) == .startHelper)
  }

  @Test mutating func `the committer moves the few pages that were written during a checkpoint`() {
    _ = pace.stepAfterCommit(3_200)
    #expect(pace.stepAfterHelper(moved: 3_200, of: 3_300) == .moveOnCommitter)
  }

  @Test mutating func `the checkpointer moves many pages that were written during a checkpoint`() {
    _ = pace.stepAfterCommit(3_200)
    #expect(pace.stepAfterHelper(moved: 3_200, of: 3_301) == .startHelper)
    #expect(pace.stepAfterHelper(moved: 3_301, of: 3_402) == .startHelper)
    #expect(pace.stepAfterHelper(moved: 3_402, of: 9_000) == .moveOnCommitter)
  }

  @Test mutating func `the committer moves pages that the checkpointer cannot move`() {
    _ = pace.stepAfterCommit(3_200)
    #expect(pace.stepAfterHelper(moved: 0, of: 3_300) == .moveOnCommitter)
    #expect(pace.stepAfterCommit(3_301) == .nothing)
    #expect(pace.stepAfterCommit(3_499) == .nothing)
    #expect(pace.stepAfterCommit(3_500) == .startHelper)
  }

  @Test mutating func `a log that restarted during a checkpoint has nothing to move`() {
    _ = pace.stepAfterCommit(3_200)
    #expect(pace.stepAfterHelper(moved: 3_200, of: 4) == .nothing)
    #expect(pace.stepAfterCommit(3_199) == .nothing)
    #expect(pace.stepAfterCommit(3_200) == .startHelper)
  }

  @Test mutating func `a restarted log is moved at the initial limit`() {
    _ = pace.stepAfterCommit(3_200)
    _ = pace.stepAfterHelper(moved: 0, of: 90_000)
    #expect(pace.stepAfterCommit(90_001) == .nothing)
    #expect(pace.stepAfterCommit(3_200) == .startHelper)
  }

  @Test mutating func `a log that restarted is left alone until it is long`() {
    _ = pace.stepAfterCommit(3_200)
    _ = pace.stepAfterHelper(moved: 3_200, of: 3_300)
    #expect(pace.stepAfterCommit(5) == .nothing)
    #expect(pace.stepAfterCommit(3_199) == .nothing)
    #expect(pace.stepAfterCommit(3_200) == .startHelper)
  }
}

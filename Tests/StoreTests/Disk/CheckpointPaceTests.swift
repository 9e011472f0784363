import Testing

@testable import SQLiteStore

@Suite struct CheckpointPaceTests {
  var pace = CheckpointPace(limit: 3_200)

  @Test mutating func `a short log is left alone`() {
    #expect(pace.committed(3_199) == .nothing)
    #expect(pace.committed(3_200) == .startHelper)
  }

  @Test mutating func `the committer moves the few pages written meanwhile`() {
    _ = pace.committed(3_200)
    #expect(pace.helperFinished(moved: 3_200, of: 3_300) == .moveOnCommitter)
  }

  @Test mutating func `many pages written meanwhile are moved by the checkpointer again`() {
    _ = pace.committed(3_200)
    #expect(pace.helperFinished(moved: 3_200, of: 3_301) == .startHelper)
    #expect(pace.helperFinished(moved: 3_301, of: 3_402) == .startHelper)
    #expect(pace.helperFinished(moved: 3_402, of: 9_000) == .moveOnCommitter)
  }

  @Test mutating func `pages the checkpointer cannot move are moved by the committer`() {
    _ = pace.committed(3_200)
    #expect(pace.helperFinished(moved: 0, of: 3_300) == .moveOnCommitter)
    #expect(pace.committed(3_301) == .nothing)
    #expect(pace.committed(3_499) == .nothing)
    #expect(pace.committed(3_500) == .startHelper)
  }

  @Test mutating func `a log that restarted meanwhile has nothing to move`() {
    _ = pace.committed(3_200)
    #expect(pace.helperFinished(moved: 3_200, of: 4) == .nothing)
    #expect(pace.committed(3_199) == .nothing)
    #expect(pace.committed(3_200) == .startHelper)
  }

  @Test mutating func `a restarted log is moved at the initial limit`() {
    _ = pace.committed(3_200)
    _ = pace.helperFinished(moved: 0, of: 90_000)
    #expect(pace.committed(90_001) == .nothing)
    #expect(pace.committed(3_200) == .startHelper)
  }

  @Test mutating func `a log that restarted is left alone until it is long`() {
    _ = pace.committed(3_200)
    _ = pace.helperFinished(moved: 3_200, of: 3_300)
    #expect(pace.committed(5) == .nothing)
    #expect(pace.committed(3_199) == .nothing)
    #expect(pace.committed(3_200) == .startHelper)
  }
}

import Synchronization
import Systemd
import Testing

@testable import FleetService

/// Remarks and journal entries about standbys.
struct StandbyWatchTests {
  private enum Answer {
    case fine
    case asynchronous
    case away
  }

  private struct Away: Error {}

  @Test func `E3: asynchronous standbys are reported once, until they are corrected`() throws {
    let answer = Mutex(Answer.fine)
    let ring = JournalRing(capacity: 8)
    let board = StatusBoard(ServiceManager(socket: nil))
    let watch = try StandbyWatch(journal: Journal(.lines(-1), ring: ring), board: board) {
      switch answer.withLock(\.self) {
      case .fine: nil
      case .asynchronous: "they follow asynchronously"
      case .away: throw Away()
      }
    }
    func check(_ newAnswer: Answer) -> (remarks: [String], entries: Int) {
      answer.withLock { $0 = newAnswer }
      watch.check()
      return (board.remarks, Int(ring.last))
    }
    #expect(check(.away) == ([], 0))
    #expect(check(.fine) == ([], 0))
    let remarks = ["PostgreSQL: they follow asynchronously"]
    #expect(check(.asynchronous) == (remarks, 1))
    #expect(check(.asynchronous) == (remarks, 1))
    #expect(check(.away) == (remarks, 1))
    #expect(check(.fine) == ([], 1))
    #expect(check(.asynchronous) == (remarks, 2))
  }
}

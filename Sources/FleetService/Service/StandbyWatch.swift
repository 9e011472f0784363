package import PostgresStore
package import Systemd

/// Checks at the start and then once a minute whether standbys of the PostgreSQL server may lack
/// acknowledged data. The status contains the fault while it lasts, and the journal contains it
/// once.
package final class StandbyWatch: Sendable {
  /// The interval of the checks in milliseconds.
  private static let interval = 60_000

  private let readFault: @Sendable () throws -> String?
  private let journal: Journal
  private let board: StatusBoard
  private let endFlag: WakeFlag

  /// Starts the checks on a separate thread, because a server may answer slowly.
  package static func begin(
    _ database: PostgresDatabase, journal: Journal, board: StatusBoard
  ) throws(SystemCallError) -> StandbyWatch {
    let watch = try StandbyWatch(journal: journal, board: board) { try database.replicationFault() }
    try OperatingSystemThread(name: "standbys") { watch.run() }.detach()
    return watch
  }

  /// - Parameter readFault: returns the fault of the replication to standbys, or nil; throws if it
  ///   is unknown.
  init(
    journal: Journal, board: StatusBoard, _ readFault: @escaping @Sendable () throws -> String?
  ) throws(SystemCallError) {
    endFlag = try WakeFlag()
    (self.journal, self.board, self.readFault) = (journal, board, readFault)
  }

  private func run() {
    repeat { check() } while !endFlag.wait(milliseconds: Self.interval)
  }

  /// Checks once. While the server does not answer, the last report stays.
  func check() {
    guard let fault = try? readFault() as String?? else { return }
    guard let reason = fault else { return board.remark(on: Self.subject, nil) }
    let isNew = board.remark(on: Self.subject) == nil
    board.remark(on: Self.subject, "PostgreSQL: \(reason)")
    guard isNew else { return }
    journal.send(.standbysAsynchronous, "PostgreSQL: \(reason)", fields: [(.reason, reason)])
  }

  private static let subject = "standbys"

  package func end() { endFlag.raise() }
}

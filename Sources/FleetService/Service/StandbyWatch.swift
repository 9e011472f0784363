package import PostgresStore
package import Systemd

/// Looks, when a service starts and once a minute from then on, whether standbys of its server may
/// lack what is acknowledged; says so in the status, and once in the journal.
package final class StandbyWatch: Sendable {
  /// In milliseconds.
  private static let interval = 60_000

  private let question: @Sendable () throws -> String?
  private let journal: Journal
  private let board: StatusBoard
  private let isOver: WakeFlag

  /// Begins, on a thread of its own: a server takes its time to answer.
  package static func begin(
    _ database: PostgresDatabase, journal: Journal, board: StatusBoard
  ) throws(SystemCallError) -> StandbyWatch {
    let watch = try StandbyWatch(journal: journal, board: board) { try database.asynchrony() }
    try OperatingSystemThread(name: "standbys") { watch.run() }.detach()
    return watch
  }

  /// - Parameter question: what is wrong with how standbys follow; throws where nobody can say.
  init(
    journal: Journal, board: StatusBoard, _ question: @escaping @Sendable () throws -> String?
  ) throws(SystemCallError) {
    isOver = try WakeFlag()
    (self.journal, self.board, self.question) = (journal, board, question)
  }

  private func run() {
    repeat { look() } while !isOver.wait(milliseconds: Self.interval)
  }

  /// Where the server does not answer, what was said holds.
  func look() {
    guard let asynchrony = try? question() as String?? else { return }
    guard let reason = asynchrony else { return board.remark(on: Self.subject, nil) }
    let isNew = board.remark(on: Self.subject) == nil
    board.remark(on: Self.subject, "PostgreSQL: \(reason)")
    guard isNew else { return }
    journal.send(.standbysAsynchronous, "PostgreSQL: \(reason)", fields: [(.reason, reason)])
  }

  private static let subject = "standbys"

  package func end() { isOver.raise() }
}

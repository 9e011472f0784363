import API
import Delivery
import Synchronization
import Systemd

/// Takes a changed configuration into use while the service runs (rule S1): all of it, or, if any
/// part has a fault, nothing.
final class Reloader: Sendable {
  /// Puts in force what a part has read.
  typealias Commit = @Sendable () async throws -> Void
  /// Reads a part of the configuration anew and changes nothing yet.
  ///
  /// - Throws: what is wrong with it.
  typealias Part = @Sendable () throws -> Commit

  /// How long a reload may take before the manager takes the service for hung.
  private static let patience = Duration.seconds(60)

  private let parts: [Part]
  private let sinks: [any Sink]
  private let manager: ServiceManager
  private let board: StatusBoard
  private let journal: Journal
  private let executor = EventLoopExecutor()
  /// The last that was begun: they go one after the other.
  private let last = Mutex<Task<Void, any Error>?>(nil)

  /// - Parameter parts: in the order in which they are put in force; what may fail comes first.
  init(
    _ parts: [Part], sinks: [any Sink], manager: ServiceManager, board: StatusBoard,
    journal: Journal
  ) {
    self.parts = parts
    self.sinks = sinks
    self.manager = manager
    self.board = board
    self.journal = journal
  }

  /// - Throws: why the old configuration stays in force, once that is told.
  func reload() async throws(ReloadRejected) {
    let task = last.withLock { last in
      let before = last
      let task = Task(executorPreference: executor) { [self] in
        _ = await before?.result
        try await perform()
      }
      last = task
      return task
    }
    do {
      try await task.value
    } catch {
      throw ReloadRejected("\(error)")
    }
  }

  private func perform() async throws {
    manager.reloading(at: .now)
    manager.extendTimeout(by: Self.patience)
    defer { manager.ready() }
    // In any case: whoever has moved a file away waits for a new one.
    for sink in sinks { reopen(sink) }
    do {
      for commit in try read() { try await commit() }
      board.remark(on: StatusBoard.reload, nil)
      journal.send(.reloaded, "the configuration was read again and is in force")
    } catch {
      board.remark(on: StatusBoard.reload, "the last reload was rejected: \(error)")
      journal.send(
        .reloadRejected, "the configuration was not taken: \(error)",
        fields: [(.reason, "\(error)")])
      throw error
    }
  }

  private func reopen(_ sink: any Sink) {
    do {
      try sink.reload()
    } catch {
      journal.send(
        .sinkKept, "the sink \(sink.name) goes on with what it has open: \(error)",
        fields: [(.sink, sink.name), (.reason, "\(error)")])
    }
  }

  /// Every part, or everything that is wrong with any of them.
  private func read() throws(ReloadRejected) -> [Commit] {
    var commits: [Commit] = []
    var faults: [String] = []
    for part in parts {
      do {
        commits.append(try part())
      } catch {
        // Two parts may be read from one file.
        if !faults.contains("\(error)") { faults.append("\(error)") }
      }
    }
    guard faults.isEmpty else { throw ReloadRejected(faults.joined(separator: "\n")) }
    return commits
  }
}

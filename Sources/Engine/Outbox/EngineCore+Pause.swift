import Outbox
import Store

/// Sinks that an operator has paused until they are resumed, also across restarts (rule D3).
extension EngineCore {
  private static let pausedNote = "paused sinks"

  /// - Returns: whether there is such a sink.
  func setPaused(
    _ isPaused: Bool, sink name: String, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws -> Bool {
    guard outbox.sinks.contains(name) else { return false }
    var paused = turn.pausedSinks ?? outbox.paused
    if isPaused { paused.insert(name) } else { paused.remove(name) }
    turn.pausedSinks = paused
    // The name of a sink has no line break.
    try transaction.saveNote(Self.pausedNote, paused.sorted().joined(separator: "\n"))
    if !isPaused { turn.resumedSinks.insert(name) }
    return true
  }

  /// Applies pauses and resumptions that are on disk. Resumed sinks are enabled again if they had
  /// disabled themselves.
  func conclude(pausesOf turn: Turn) {
    let paused = turn.pausedSinks ?? outbox.paused
    let resumed = turn.resumedSinks.union(outbox.paused.subtracting(paused))
    outbox.paused = paused
    for state in outbox.lanes where resumed.contains(state.sink) { sinks[state.number]?.enable() }
  }

  func pausedSinks(in transaction: any StoreWriter) throws -> Set<String> {
    let names = try transaction.note(Self.pausedNote) ?? ""
    return Set(names.split(separator: "\n").map(String.init))
  }
}

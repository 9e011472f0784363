import Outbox
import Store

/// Sinks that an operator has paused (rule D3). They stay paused until an operator resumes them,
/// also across restarts.
extension EngineOutbox {
  private static let pausedNote = "paused sinks"

  /// Pauses or resumes a sink.
  ///
  /// - Returns: whether there is such a sink.
  func setPaused(
    _ isPaused: Bool, sink name: String, _ turn: inout Turn
  ) throws -> Bool {
    guard dispatcher.sinks.contains(name) else { return false }
    // Another node may have paused a sink since this node read them, or may do so now.
    var paused =
      try turn.effects.outbox.pausedSinks
      ?? Self.sinks(in: turn.transaction.noteToChange(Self.pausedNote))
    if isPaused { paused.insert(name) } else { paused.remove(name) }
    turn.effects.outbox.pausedSinks = paused
    // The name of a sink has no line break.
    try turn.transaction.saveNote(Self.pausedNote, paused.sorted().joined(separator: "\n"))
    if !isPaused { turn.effects.outbox.resumedSinks.insert(name) }
    return true
  }

  /// Applies pauses and resumptions that are on disk. Resumed sinks are enabled again if they had
  /// disabled themselves.
  func concludePauses(_ effects: DeliveryEffects) {
    let paused = effects.pausedSinks ?? dispatcher.paused
    let resumed = effects.resumedSinks.union(dispatcher.paused.subtracting(paused))
    dispatcher.paused = paused
    for state in dispatcher.lanes where resumed.contains(state.sink) {
      sinks[state.number]?.enable()
    }
  }

  /// Reads the names of the paused sinks.
  func pausedSinks(in transaction: any StoreWriter) throws -> Set<String> {
    Self.sinks(in: try transaction.note(Self.pausedNote))
  }

  /// Returns the names in a note, one on each line.
  private static func sinks(in note: String?) -> Set<String> {
    Set((note ?? "").split(separator: "\n").map(String.init))
  }
}

import CivilTime
import Store

/// What one process knows of the store that it works on, and keeps between units of work.
struct PostgresNode: Sendable {
  /// A number of its own: a host's name could be another's tomorrow.
  let incarnation: Int64
  /// Distinguishes this store's delivery ids from another's.
  let instance: String
  let hash: KeyedHash
  var numbers = NumberBlocks()
  var messages = MessageCache()
  /// Whether anybody was ever erased; while nobody was, no event has to be asked about.
  var hasTombstones = false
  /// When the first was erased since that was last ended, and how many were since the start.
  var erasureOpen: Instant?
  var erasures = 0

  /// Takes over what a unit of work has come to.
  mutating func adopt(_ work: PostgresWork) {
    (numbers, messages) = (work.numbers, work.messages)
    guard let erased = work.erased else { return }
    hasTombstones = true
    erasureOpen = erasureOpen ?? erased
    erasures += work.erasures
  }
}

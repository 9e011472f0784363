package import Access
package import CivilTime
package import Reminders

/// Where the service keeps its state: the port that the engine speaks to, and that each kind of
/// store implements. No verb of it knows SQL, files or connections.
///
/// All that changes goes through `commit`: one unit of work, all of which is durable when it
/// returns, or nothing of it (rule E3). A verb takes as much at a time as there is, for on a server
/// each costs a round trip. For the engine's thread alone; `readers` are for any thread.
package protocol Store: AnyObject {
  /// The store's own name, which tells its delivery ids from another's.
  var instance: String { get }
  /// What of it is this process's to write; what is another's is refused.
  var ownership: Ownership { get }
  /// The number of the last notification that was recorded.
  var lastNotification: Int64 { get }
  /// How long commits took that had something to write, in seconds.
  var commitTimes: Histogram { get }
  /// What the store had acknowledged and has no more; nil if nothing is missing.
  var loss: StoreLoss? { get }
  /// Whether apps may leave events in it, in transactions of their own.
  var takesSubmissions: Bool { get }
  /// What answers questions beside it.
  var readers: any StoreSnapshots { get }

  /// Runs one unit of work: all of it is durable when this returns, or nothing of it.
  func commit<Value>(
    _ body: (any StoreWriter) throws -> Value
  ) throws(StoreError) -> Value

  /// What makes and opens the links by which people unsubscribe.
  func unsubscribeKey() throws(StoreError) -> UnsubscribeKey

  // MARK: - What is old, and who is erased

  /// Removes some of what is older than it is kept for (rule H7), in a unit of work of its own.
  ///
  /// - Parameters:
  ///   - age: what is old.
  ///   - place: where the step before has ended; 0 to begin.
  ///   - limit: how many rows are looked at.
  ///   - keeps: whether an occurrence of a recipient must be known still, as it must not be said
  ///     again.
  func prune(
    _ part: KeptPart, by age: Age, after place: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws(StoreError) -> Pruned

  /// When the first was erased who may still be read where the store keeps its data; nil if nobody
  /// may (rule H4).
  var erasureOpen: Instant? { get }

  /// What cleans that of them, on this thread or another.
  var cleaner: any StoreCleaner { get }

  /// Cleans it in one go.
  ///
  /// - Returns: whether it is done; else it is to be tried again.
  func finishErasure() throws(StoreError) -> Bool

  /// Notes that it is clean, unless somebody has been erased since.
  ///
  /// - Parameter erasures: how many had been since the start, as the cleaner has told.
  func endErasures(_ erasures: Int) throws(StoreError)

  /// Gives the system back the memory that it can do without: what it needs again it reads again.
  func releaseMemory()

  /// Ends reading and writing, for a clean stop.
  func shutDown() throws(StoreError)
}

extension Store {
  package var ownership: Ownership { .all }
  package var isErasureOpen: Bool { erasureOpen != nil }
  package func releaseMemory() {}
}

/// Answers questions from snapshots of what is committed, beside the engine and without waiting for
/// it (rule H6). For any thread.
package protocol StoreSnapshots: Sendable {
  /// Answers from one snapshot, which has everything that was committed before. What is asked needs
  /// a bound, for a store may have to keep what a snapshot sees.
  func read<Value>(_ body: (any StoreReader) throws -> Value) throws(StoreError) -> Value

  /// The shard of a recipient, from 0 on; 0 for all in a store that is not divided.
  func shard(of recipient: String) -> Int

  /// How many bytes the store takes.
  var size: Int64 { get }

  /// The share of the store's file system that is in use, from 0 to 1; nil if it is unknown, as on
  /// a server.
  var diskUse: Double? { get }

  /// What lies beside the store and holds what it was before, also of who was erased since: the
  /// names of files and directories.
  var setAside: [String] { get }

  /// A copy of the store as it is at one instant. Takes as long as reading all of it.
  func backup() throws(StoreError) -> any StoreBackup
}

extension StoreSnapshots {
  package var diskUse: Double? { nil }

  package var setAside: [String] { [] }

  package func shard(of recipient: String) -> Int { 0 }
}

/// A copy of a store as it was at one instant.
package protocol StoreBackup: Sendable {
  /// In bytes.
  var size: Int64 { get }

  /// The bytes from an offset on, at most so many; none at the end.
  func bytes(at offset: Int64, atMost count: Int) throws(StoreError) -> [UInt8]
}

/// Cleans what a store keeps of who was erased (rule H4), in short steps between which the engine
/// commits. For one thread.
package protocol StoreCleaner: AnyObject, Sendable {
  func step() throws(StoreError) -> CleaningStep

  /// Leaves everything as it is, to be cleaned another time.
  func abandon()
}

package enum CleaningStep: Sendable {
  /// There is more to do.
  case more
  /// Somebody reads what is to be cleaned; to be tried again.
  case busy
  /// All is clean of the first so many erasures since the start.
  case done(erasures: Int)
}

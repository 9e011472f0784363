import Outbox
import Reminders

/// Lets the replies of one telephone number be processed one after another. The meaning of a reply
/// depends on which messages are answered already, so a reply must see the effect of the one before
/// it (rule D15). Numbers that have the same hash wait for each other, too.
struct SenderTurns: Sendable {
  private let semaphores = (0..<64).map { _ in AsyncSemaphore(1) }

  /// Calls `body` when the earlier replies of the number are processed.
  func withTurn<Value>(
    of number: PhoneNumber, _ body: () async throws -> Value
  ) async rethrows -> Value {
    let index = Int(UInt(bitPattern: number.hashValue) % UInt(semaphores.count))
    return try await semaphores[index].withPermit(body)
  }
}

/// The requests to the service that have no answer yet. Each must be answered exactly once.
final class Calls {
  private var unanswered: [Int: String] = [:]
  private var count = 0
  /// The requests that were answered twice.
  private(set) var answeredTwice: [String] = []

  /// - Returns: the call's number.
  func begin(_ what: String) -> Int {
    count += 1
    unanswered[count] = what
    return count
  }

  func end(_ number: Int, _ what: String) {
    if unanswered.removeValue(forKey: number) == nil { answeredTwice.append(what) }
  }

  /// The unanswered requests, in order.
  var waiting: [String] { unanswered.sorted { $0.key < $1.key }.map(\.value) }

  /// Forgets the requests to a process that is gone.
  func forget() { unanswered = [:] }
}

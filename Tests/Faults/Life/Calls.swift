/// The requests to the service that have no answer yet. Each must be answered exactly once.
final class Calls {
  /// The names of the unanswered requests, by number.
  private var unanswered: [Int: String] = [:]
  /// The number of requests so far.
  private var count = 0
  /// The names of the requests that were answered twice.
  private(set) var answeredTwice: [String] = []

  /// Adds a request.
  ///
  /// - Parameter name: the name of the request in findings.
  /// - Returns: the request's number.
  func begin(_ name: String) -> Int {
    count += 1
    unanswered[count] = name
    return count
  }

  /// Records an answer.
  func end(_ number: Int, _ name: String) {
    if unanswered.removeValue(forKey: number) == nil { answeredTwice.append(name) }
  }

  /// The names of the unanswered requests, in order.
  var unansweredNames: [String] { unanswered.sorted { $0.key < $1.key }.map(\.value) }

  /// Forgets the requests to a process that is gone.
  func forget() { unanswered = [:] }
}

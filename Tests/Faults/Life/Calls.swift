/// What the service was asked and has not answered: each question is answered exactly once.
final class Calls {
  private var open: [Int: String] = [:]
  private var count = 0
  /// What was answered a second time.
  private(set) var answeredTwice: [String] = []

  /// - Returns: the call's number.
  func begin(_ what: String) -> Int {
    count += 1
    open[count] = what
    return count
  }

  func end(_ number: Int, _ what: String) {
    if open.removeValue(forKey: number) == nil { answeredTwice.append(what) }
  }

  /// Those that wait for an answer, in order.
  var waiting: [String] { open.sorted { $0.key < $1.key }.map(\.value) }

  /// The process that was asked is gone, and will not answer.
  func forget() { open = [:] }
}

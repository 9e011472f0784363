import CivilTime
import Dispatch

/// Looks, when the time of a node's trust is over, whether there is more of it; if not, whatever a
/// sink has begun is given up, so that it begins nothing else.
struct TrustWatch: Sendable {
  private static let queue = DispatchQueue(label: "trust")

  private let trust: TrustDeadline
  private let answer: FirstAnswer
  private let giveUp: @Sendable () -> Void

  /// - Parameters:
  ///   - answer: once it is given, there is nothing to give up any more.
  ///   - giveUp: called once at most.
  init(_ trust: TrustDeadline, of answer: FirstAnswer, giveUp: @escaping @Sendable () -> Void) {
    (self.trust, self.answer, self.giveUp) = (trust, answer, giveUp)
  }

  func begin() {
    let watch = trust.watch { if !answer.isGiven { giveUp() } }
    if let watch { look(as: watch) }
  }

  private func look(as watch: Int) {
    let rest = DispatchTimeInterval.milliseconds(Int(trust.rest.milliseconds) + 1)
    Self.queue.asyncAfter(deadline: .now() + rest) {
      guard !answer.isGiven else {
        trust.forget(watch)
        return
      }
      guard !trust.holds else { return look(as: watch) }
      if trust.forget(watch) { giveUp() }
    }
  }
}

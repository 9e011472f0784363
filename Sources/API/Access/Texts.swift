import Access
import CivilTime
import Synchronization

/// What a person is told, on its way to somebody else: who helps people sees it when they have
/// asked for it, which is noted (rule H5). A title is shown, as nobody could help without.
enum Texts {
  /// Whether the answer that is being written is for somebody who has not asked.
  @TaskLocal static var areHidden = false

  /// The text, or nothing in its place.
  static func shown(_ text: String) -> String { areHidden ? "" : text }

  /// Each text, or nothing in its place.
  static func shown(_ texts: [String]) -> [String] { texts.map(shown) }

  /// Refuses what consists of texts.
  static func checkShown() throws(Problem) {
    guard areHidden else { return }
    throw Problem(
      .forbidden,
      "this has what a person is told, and your token has the scope support; ask for it first by "
        + "POST /v1/recipients/{recipient}/text-views, which is noted")
  }
}

/// Which callers have asked to see the texts of which recipients, in memory alone.
final class TextViews: Sendable {
  private struct View: Hashable {
    let viewer: String
    let recipient: [UInt8]
  }

  /// As long as a console stays signed in.
  private static let span = TimeSpan.hours(12)
  private static let most = 10_000

  private let views = Mutex<[View: Instant]>([:])

  func note(_ caller: Caller, of recipient: String, at now: Instant) {
    let view = View(viewer: caller.bearer ?? caller.name, recipient: Array(recipient.utf8))
    views.withLock { views in
      if views.count >= Self.most { views = views.filter { now < $0.value } }
      // Who asks too much for the memory there is has to ask again.
      if views.count >= Self.most { views = [:] }
      views[view] = now + Self.span
    }
  }

  func areHidden(from caller: Caller, of recipient: String, at now: Instant) -> Bool {
    guard caller.scope == .support else { return false }
    let view = View(viewer: caller.bearer ?? caller.name, recipient: Array(recipient.utf8))
    return views.withLock { views in views[view].map { $0 <= now } ?? true }
  }
}

import Access
import CivilTime
import Synchronization

/// Hides the texts of notifications from support callers until they request the texts (rule H11).
/// The journal records these requests. Titles are always shown, because support needs them.
enum Texts {
  /// Whether the current response is for a support caller who has not requested the texts.
  @TaskLocal static var areHidden = false

  /// Returns the text, or an empty one if texts are hidden.
  static func shown(_ text: String) -> String { areHidden ? "" : text }

  /// Returns the texts, each empty if texts are hidden.
  static func shown(_ texts: [String]) -> [String] { texts.map(shown) }

  /// Throws if texts are hidden, for responses that consist of texts.
  static func checkShown() throws(Problem) {
    guard areHidden else { return }
    throw Problem(
      .forbidden,
      "this contains texts of notifications, and your token has the scope support; first send "
        + "POST /v1/recipients/{recipient}/text-views, which is recorded")
  }
}

/// The callers that have requested the texts of recipients, in memory only.
final class TextViews: Sendable {
  /// A request of a caller for the texts of a recipient.
  private struct View: Hashable {
    /// The caller's token, or its name if it has none.
    let viewer: String
    /// The bytes of the recipient's id.
    let recipient: [UInt8]
  }

  /// How long a caller may see the texts: the lifetime of a console session.
  private static let lifetime = TimeSpan.hours(12)
  /// The maximum number of requests in memory.
  private static let viewsMax = 10_000

  /// The instant until which each request is valid.
  private let views = Mutex<[View: Instant]>([:])

  /// Records that a caller has requested a recipient's texts.
  func record(_ caller: Caller, of recipient: String, at now: Instant) {
    let view = View(viewer: caller.bearer ?? caller.name, recipient: Array(recipient.utf8))
    views.withLock { views in
      if views.count >= Self.viewsMax { views = views.filter { now < $0.value } }
      // If no view has expired, all are dropped to bound memory; callers must request texts again.
      if views.count >= Self.viewsMax { views = [:] }
      views[view] = now + Self.lifetime
    }
  }

  /// Whether a caller is support without a recent request for the recipient's texts.
  func areHidden(from caller: Caller, of recipient: String, at now: Instant) -> Bool {
    guard caller.scope == .support else { return false }
    let view = View(viewer: caller.bearer ?? caller.name, recipient: Array(recipient.utf8))
    return views.withLock { views in views[view].map { $0 <= now } ?? true }
  }
}

import CivilTime
import Delivery

/// The answer of a push service as it is kept with the attempt.
struct PushReport {
  let response: ExchangeResponse
  let start: ContinuousClock.Instant
  /// What must not be shown, even if the other side repeats it.
  let hidden: [String]

  /// - Parameter word: the service's own word for what is wrong, if it has one.
  func kept(_ word: String?) -> SinkResponse {
    var said = String(decoding: response.body, as: UTF8.self)
    for secret in hidden where !secret.isEmpty { said = said.replacing(secret, with: "(secret)") }
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    return SinkResponse(
      status: ["\(response.status)", word].compactMap(\.self).joined(separator: " "),
      said: Array(said.utf8), duration: TimeSpan(milliseconds: milliseconds))
  }

  /// A word that a service uses for an error: nothing else of what it says goes into a reason.
  static func word(_ text: String?) -> String? {
    guard let text, (1...64).contains(text.utf8.count) else { return nil }
    return text.utf8.allSatisfy {
      $0 == UInt8(ascii: "_") || UInt8(ascii: "A")...UInt8(ascii: "z") ~= $0
    } ? text : nil
  }
}

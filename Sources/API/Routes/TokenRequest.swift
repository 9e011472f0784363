import Access
import CivilTime
import JSON
import NIOCore

/// What the maker of a token asks for: `{"name": "phone", "scope": "recipient:u1", "for": "P30D"}`.
struct TokenRequest {
  let name: String
  let scope: AccessScope
  let expiry: Instant?

  init(_ document: JSONObject, now: Instant) throws(Problem) {
    let known = ["name", "scope", "for"]
    for member in document where !known.contains(member.key) {
      let list = known.joined(separator: ", ")
      throw Self.problem(member.key, "\(member.key.shortened) is not known; known here are \(list)")
    }
    guard let name = document["name"]?.stringValue, (1...100).contains(name.count),
      !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
    else {
      throw Self.problem("name", "name must be a text of 1 to 100 characters that says whose it is")
    }
    guard let scope = document["scope"]?.stringValue.flatMap({ AccessScope($0) }) else {
      throw Self.problem(
        "scope",
        "scope must be \"admin\", \"support\", \"observer\", or \"recipient:\" and a "
          + "recipient's id")
    }
    self.name = name
    self.scope = scope
    expiry = try Self.expiry(document["for"], now: now)
  }

  private static func expiry(_ value: JSONValue?, now: Instant) throws(Problem) -> Instant? {
    guard let value, !value.isNull else { return nil }
    let longest = TimeSpan.days(36_500)
    guard let span = value.stringValue.flatMap({ TimeSpan($0) }), span > .zero, span <= longest
    else {
      throw problem("for", "for must be how long the token holds, such as 30d or 12h")
    }
    return now + span
  }

  private static func problem(_ path: String, _ detail: String) -> Problem {
    Problem(.unacceptableToken, detail + "; no token was made", path: path)
  }
}

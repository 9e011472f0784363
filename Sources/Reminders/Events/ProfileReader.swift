import CivilTime
import Holidays
import JSON

/// Reads the fields of `recipient.updated`; null clears one.
struct ProfileReader {
  let zones: ZoneDatabase
  let holidays: HolidayDatabase?

  func changes(_ object: JSONObject) throws(Refusal) -> [ProfileChange] {
    guard !object.isEmpty else {
      throw Refusal(path: "data", "is empty; give at least one of \(Self.known)")
    }
    var changes: [ProfileChange] = []
    for member in object.members {
      changes.append(try change(member.key, member.value))
    }
    return changes
  }

  private static var known: String {
    ProfileField.allCases.map(\.name).joined(separator: ", ")
  }

  private func change(_ key: String, _ value: JSONValue) throws(Refusal) -> ProfileChange {
    let path = "data.\(key)"
    guard let field = ProfileField(name: key) else {
      throw Refusal(
        path: path,
        "is not known" + hint(key, ProfileField.allCases.map(\.name))
          + " (known: \(Self.known))")
    }
    return try change(field, value, at: path)
  }

  /// - Parameter path: what a refusal calls the place of the value.
  func change(
    _ field: ProfileField, _ value: JSONValue, at path: String
  ) throws(Refusal) -> ProfileChange {
    if value.isNull { return ProfileChange(field: field, value: nil) }
    guard case .string(let text) = value, (1...256).contains(text.utf8.count),
      !text.hasControlCharacters
    else {
      throw Refusal(path: path, "must be a text of 1 to 256 bytes without control characters")
    }
    if field == .timezone { try check(zone: text, path) }
    if field == .holidays { try check(region: text, path) }
    return ProfileChange(field: field, value: text)
  }

  /// A region whose holidays nobody knows has none, which is not what the person means.
  private func check(region: String, _ path: String) throws(Refusal) {
    guard let holidays else { return }
    do {
      _ = try holidays.calendar(of: region)
    } catch {
      throw Refusal(path: path, "is refused: \(error)")
    }
  }

  /// Rule T4: an unknown zone is an error, never silently UTC.
  private func check(zone name: String, _ path: String) throws(Refusal) {
    do {
      _ = try zones.zone(named: name)
    } catch {
      throw Refusal(path: path, "is refused: \(error)")
    }
  }
}

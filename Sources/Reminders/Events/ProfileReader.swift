import CivilTime
import Holidays
import JSON

/// Reads the fields of `recipient.updated`; the value null clears a field.
struct ProfileReader {
  let zones: ZoneDatabase
  let holidays: HolidayDatabase?

  func changes(_ object: JSONObject) throws(Refusal) -> [ProfileChange] {
    guard !object.isEmpty else {
      throw Refusal(path: "data", "is empty; give at least one of \(Self.fieldNames)")
    }
    var changes: [ProfileChange] = []
    for member in object.members {
      changes.append(try change(member.key, member.value))
    }
    return changes
  }

  private static var fieldNames: String {
    ProfileField.allCases.map(\.name).joined(separator: ", ")
  }

  private func change(_ key: String, _ value: JSONValue) throws(Refusal) -> ProfileChange {
    let path = "data.\(key)"
    guard let field = ProfileField(name: key) else {
      throw Refusal(
        path: path,
        "is not known" + hint(key, ProfileField.allCases.map(\.name))
          + " (known: \(Self.fieldNames))")
    }
    return try change(field, value, at: path)
  }

  /// Reads the new value of one field.
  ///
  /// - Parameter path: the path of the value in a refusal.
  func change(
    _ field: ProfileField, _ value: JSONValue, at path: String
  ) throws(Refusal) -> ProfileChange {
    if value.isNull { return ProfileChange(field: field, value: nil) }
    guard case .string(let text) = value, (1...256).contains(text.utf8.count),
      !text.hasControlCharacters
    else {
      throw Refusal(path: path, "must be a text of 1 to 256 bytes without control characters")
    }
    if field == .timezone {
      return ProfileChange(field: field, value: try zoneName(text, path))
    }
    if field == .holidays { try check(region: text, path) }
    if field == .email, AddressShape.email(text) == nil {
      throw Refusal(
        path: path,
        "must be an e-mail address such as \"ana@example.org\", without quotes and with a host "
          + "name after the \"@\"")
    }
    if field == .phone, !AddressShape.isPhone(text) {
      throw Refusal(
        path: path, "must be a telephone number with its country code, such as \"+32 2 123 45 67\"")
    }
    return ProfileChange(field: field, value: text)
  }

  /// Refuses an unknown region, which would silently have no holidays.
  private func check(region: String, _ path: String) throws(Refusal) {
    guard let holidays else { return }
    do {
      _ = try holidays.calendar(of: region)
    } catch {
      throw Refusal(path: path, "is refused: \(error)")
    }
  }

  /// Returns the tz database's name of a zone. The app may give that name or the Windows name.
  /// Refuses an unknown zone (rule T4).
  private func zoneName(_ name: String, _ path: String) throws(Refusal) -> String {
    do {
      return try zones.zone(named: name).name
    } catch {
      if let zone = zones.zone(ofWindowsName: name) { return zone.name }
      throw Refusal(path: path, "is refused: \(error)")
    }
  }
}

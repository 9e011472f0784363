import JSON
import Reminders

/// A partial preferences document, built from values of settings.
struct PreferenceData {
  private(set) var document = JSONObject()

  var isEmpty: Bool { document.isEmpty }

  /// Sets the value of a setting at its path.
  mutating func set(_ definition: SettingsSchema.Definition, to number: Int64) {
    let path = definition.path.split(separator: ".").map(String.init)
    document = Self.inserting(definition.kind.value(of: number), at: path[...], into: document)
  }

  private static func inserting(
    _ value: JSONValue, at path: ArraySlice<String>, into object: JSONObject
  ) -> JSONObject {
    guard let key = path.first else { return object }
    var object = object
    let rest = path.dropFirst()
    object[key] =
      rest.isEmpty
      ? value : .object(inserting(value, at: rest, into: object[key]?.objectValue ?? JSONObject()))
    return object
  }
}

extension SettingKind {
  /// Returns one of the setting's values.
  func choose(_ choices: inout SeededChoices) -> Int64 {
    switch self {
    case .toggle: Int64(choices.number(below: 2))
    case .time: Int64(choices.number(below: 96) * 15)
    case .times: Self.code([choices.number(in: 5...11) * 60, choices.number(in: 15...22) * 60])
    case .days: Int64(choices.number(in: 1...127))
    case .date, .duration: Self.unset
    case .span(let range):
      choices.pick([range.lowerBound, range.upperBound, (range.lowerBound + range.upperBound) / 2])
    case .count(let range), .limit(let range):
      range.lowerBound
        + Int64(choices.number(below: Int(min(11, UInt64(range.count) - 1)) + 1))
    case .counts(let range):
      Self.code([Int(clamping: range.lowerBound) + choices.number(in: 0...3)])
    case .choice(let words): Int64(choices.number(below: words.count))
    case .selection(let words): Int64(choices.number(in: 1...(1 << min(words.count, 16)) - 1))
    }
  }

  private static func code(_ numbers: [Int]) -> Int64 { NumberList(numbers)?.code ?? 0 }
}

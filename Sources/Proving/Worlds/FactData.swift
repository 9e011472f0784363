import CivilTime
import JSON
import Reminders

/// Makes up the data of an event from the declarations of its fields.
struct FactData {
  let schema: EventSchema
  /// The conditions that the data has to meet.
  var conditions: [DataCondition] = []
  /// The values of settings with which conditions compare.
  var settings: Settings
  /// The identifier of the thing; used if the type has one.
  var thing = ""
  /// The time of the event.
  var time: Instant
  /// The span from the event to the instants and the dates in its fields.
  var lead = TimeSpan.days(2)
  /// The id of the other person, for fields of the kind `recipient`.
  var other = ""
  /// The numbers that the service accepts for a type with declared milestones; empty for any.
  var milestones: [Int64] = []

  /// Returns the data.
  ///
  /// - Parameter choices: decides about optional fields and values; nil for all fields with their
  ///   plainest values.
  func object(_ choices: inout SeededChoices?) -> JSONObject {
    var object = JSONObject()
    for field in schema.fields {
      let conditions = conditions.filter { $0.field == Symbol(field.name) }
      if omits(field, conditions, &choices) { continue }
      object[field.name] = value(of: field, conditions, &choices)
    }
    return object
  }

  /// Returns whether the data lacks a field.
  private func omits(
    _ field: EventSchema.Field, _ conditions: [DataCondition], _ choices: inout SeededChoices?
  ) -> Bool {
    if field.isRequired { return false }
    if let condition = conditions.first {
      if case .given(let isGiven) = condition.test { return !isGiven }
      return false
    }
    return choices?.isOne(of: 2) ?? false
  }

  private func value(
    of field: EventSchema.Field, _ conditions: [DataCondition], _ choices: inout SeededChoices?
  ) -> JSONValue {
    for condition in conditions {
      switch condition.test {
      case .words(let words): return .string(choices?.pick(words) ?? words.first ?? "")
      case .flag(let flag): return .bool(flag)
      case .numbers(let comparisons): return number(meeting: comparisons)
      case .given: break
      }
    }
    switch field.kind {
    case .identifier: return .string(thing)
    case .instant: return .string((time + lead).description)
    case .date: return .string("\((time + lead).description.prefix(10))")
    case .text, .preview: return .string("\(field.name) of \(thing.isEmpty ? schema.type : thing)")
    case .number: return .integer(Int64(choices?.number(in: 0...9) ?? 3))
    case .rememberedNumber(let declared): return .integer(number(of: declared, &choices))
    case .flag: return .bool(choices?.isOne(of: 2) ?? true)
    case .person: return ["id": "p1", "username": "kim", "firstName": "Kim"]
    case .place: return ["id": "l1", "name": "North Hall"]
    case .recipient: return .string(other)
    case .list(let sorts): return list(sorts, &choices)
    case .plan: return plan(&choices)
    }
  }

  /// Returns a number that meets all comparisons; 0 if no candidate does.
  private func number(meeting comparisons: [DataCondition.Comparison]) -> JSONValue {
    let limits = comparisons.map { limit($0.limit) }
    let candidates = limits.flatMap { [$0, $0 + 1, $0 - 1, $0 + 0.25, $0 - 0.25] }
    let number = candidates.first { number in
      zip(comparisons, limits).allSatisfy { $0.relation.isMet(by: number, $1) }
    }
    return .number(number ?? 0)
  }

  private func limit(_ limit: DataCondition.Limit) -> Double {
    switch limit {
    case .fixed(let number): number
    case .setting(let index): Double(settings[index])
    }
  }

  /// Returns one of the milestones, if there are any, or else a number in the declared range.
  private func number(
    of declared: EventSchema.NumberField, _ choices: inout SeededChoices?
  ) -> Int64 {
    guard milestones.isEmpty else { return choices?.pick(milestones) ?? milestones[0] }
    let range = declared.range
    let (difference, isOver) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
    // Low numbers leave room for later, higher reports. A program ends at its highest number.
    if choices?.isOne(of: 8) ?? false { return range.upperBound }
    let last = isOver ? 3 : Int(min(difference, 3))
    return range.lowerBound + Int64(choices?.number(below: last + 1) ?? 0)
  }

  private func list(_ sorts: [Tally.Sort], _ choices: inout SeededChoices?) -> JSONValue {
    guard let first = sorts.first else { return .array([]) }
    let name = choices?.pick(sorts).name ?? first.name
    let count = choices?.number(in: 1...3) ?? 1
    return .array((0..<count).map { _ in ["type": .string(name)] })
  }

  private func plan(_ choices: inout SeededChoices?) -> JSONValue {
    switch choices?.number(below: 3) {
    case 0: return ["times": ["07:30", "19:30"]]
    case 1: return ["times": ["12:00"], "days": ["mon", "wed", "sat"]]
    default: return ["times": ["08:00"]]
    }
  }
}

extension DataCondition.Relation {
  fileprivate func isMet(by number: Double, _ limit: Double) -> Bool {
    switch self {
    case .above: number > limit
    case .atLeast: number >= limit
    case .below: number < limit
    case .atMost: number <= limit
    case .equal: number == limit
    }
  }
}

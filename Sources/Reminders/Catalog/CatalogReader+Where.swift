import CivilTime
import Yams

extension CatalogReader {
  /// Reads `where: {priority: [urgent, high], potassium: {above: 5.5}, place: {given: true}}`: the
  /// conditions on fields of the event that triggers an occurrence.
  mutating func dataConditions(
    _ node: Node?, of schema: EventSchema?, groups: [String]
  ) -> [DataCondition] {
    guard let node else { return [] }
    guard let mapping = node.mapping, !mapping.isEmpty else {
      report(node, "\"where\" must map the event's fields to conditions")
      return []
    }
    // An unknown event has already been reported.
    guard let schema else { return [] }
    return mapping.compactMap { key, value in
      let name = key.string ?? ""
      guard let field = schema.fields.first(where: { $0.name == name }) else {
        let known = schema.fields.map(\.name)
        report(
          key,
          "\(schema.type) has no \"\(name)\"" + hint(name, known)
            + " (known: \(known.joined(separator: ", ")))")
        return nil
      }
      return test(value, of: field, groups: groups).map {
        DataCondition(field: Symbol(name), test: $0)
      }
    }
  }

  /// Reads the condition on one field.
  private mutating func test(
    _ node: Node, of field: EventSchema.Field, groups: [String]
  ) -> DataCondition.Test? {
    if node.mapping?["given"] != nil {
      let members = members(node, of: "\"\(field.name)\"", .given)
      return members["given"].flatMap { toggle($0, "given") }.map { .given($0) }
    }
    switch field.kind {
    case .number, .rememberedNumber, .list: return comparisons(node, of: field, groups: groups)
    case .flag: return toggle(node, "\"\(field.name)\"").map { .flag($0) }
    case .text, .identifier, .recipient:
      let nodes = node.sequence.map(Array.init) ?? [node]
      let words = nodes.compactMap { text($0, "\"\(field.name)\"") }
      return words.count == nodes.count && !words.isEmpty ? .words(words) : nil
    case .instant, .date, .person, .place, .preview, .plan:
      report(node, "\"\(field.name)\" permits only the condition {given: true} or {given: false}")
      return nil
    }
  }

  /// Reads `3`, or `{above: 5.5, atMost: $limit}`.
  private mutating func comparisons(
    _ node: Node, of field: EventSchema.Field, groups: [String]
  ) -> DataCondition.Test? {
    guard node.mapping != nil else {
      return limit(node, field.name, groups: groups).map {
        .numbers([.init(relation: .equal, limit: $0)])
      }
    }
    let relations = DataCondition.Relation.allCases.filter { $0 != .equal }
    let members = members(node, of: "\"\(field.name)\"", .comparisons)
    var comparisons: [DataCondition.Comparison] = []
    for relation in relations {
      guard let node = members[relation.rawValue] else { continue }
      guard let limit = limit(node, relation.rawValue, groups: groups) else { return nil }
      comparisons.append(.init(relation: relation, limit: limit))
    }
    if comparisons.isEmpty, node.mapping?.isEmpty == true {
      report(node, "\"\(field.name)\" needs a limit such as {above: 5.5}")
    }
    return comparisons.isEmpty ? nil : .numbers(comparisons)
  }

  /// Reads a number, or `$` and the name of a setting.
  ///
  /// - Parameter what: the limit's name in a report.
  private mutating func limit(
    _ node: Node, _ what: String, groups: [String]
  ) -> DataCondition.Limit? {
    if node.string?.hasPrefix("$") == true {
      return setting(node, groups: groups, "a whole number") { kind in
        if case .count = kind { true } else { false }
      }.map { .setting($0) }
    }
    guard node.string?.contains(":") == false, let number = node.float, number.isFinite else {
      report(node, "\"\(what)\" must be a number such as 3 or 5.5, or $ and the name of a setting")
      return nil
    }
    return .fixed(number)
  }
}

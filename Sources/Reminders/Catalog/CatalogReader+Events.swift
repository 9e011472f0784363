import Yams

extension CatalogReader {
  /// Reads `events`, the types that a catalog adds to the built-in ones, each with its fields.
  mutating func readEvents(_ node: Node?) {
    guard let node else { return }
    guard let mapping = node.mapping else {
      return report(node, "events", mustBe: .names)
    }
    for (key, value) in mapping { readEvent(key.string ?? "", at: key, value) }
  }

  /// Reads `appointment.booked: {appointment: identifier, at: instant, place: text?}`. With `from:
  /// recipient` beside the fields, a recipient's own token may report the event (rule E7).
  private mutating func readEvent(_ type: String, at key: Node, _ node: Node) {
    guard (1...128).contains(type.utf8.count), !type.hasControlCharacters else {
      return report(key, "an event type must have 1 to 128 bytes and no control characters")
    }
    guard checkCount(node, "the event \"\(type)\"", CatalogBounds.fields) else { return }
    let entries = keyedEntries(node, "the event \"\(type)\"")
    let isOwnAct = entries.contains(where: \.marksOwnAct)
    let fields = entries.filter { !$0.marksOwnAct }.compactMap { readField($0) }
    let rememberedNumbers = fields.count {
      if case .rememberedNumber = $0.kind { true } else { false }
    }
    if fields.count(where: { $0.kind == .identifier }) > 1 {
      report(key, "the event \"\(type)\" has two identifiers; at most one is allowed")
    }
    if rememberedNumbers > 1 {
      report(key, "the event \"\(type)\" keeps two numbers; only one can be kept")
    }
    if Set(fields.map { Symbol($0.name) }).count < fields.count {
      report(key, "two fields of \"\(type)\" have the same hash; rename one")
    }
    let schema = EventSchema(type: type, shape: Self.shape(of: fields), isOwnAct: isOwnAct)
    declare(schema, fields, at: key)
  }

  private static func shape(of fields: [EventSchema.Field]) -> EventSchema.Shape {
    guard let first = fields.first else { return .happening(nil) }
    if fields.count == 1, case .rememberedNumber(let number) = first.kind {
      return .happening(number)
    }
    return .report(fields)
  }

  /// Adds an event type. Several catalogs may declare the same type if their declarations are
  /// equal.
  private mutating func declare(
    _ schema: EventSchema, _ fields: [EventSchema.Field], at key: Node
  ) {
    if let other = catalog.event(Symbol(schema.type)), other.type != schema.type {
      return report(
        key, "the event \"\(schema.type)\" has the hash of \"\(other.type)\"; rename it")
    }
    if let builtIn = EventSchema.builtIn.first(where: { $0.type == schema.type }) {
      if builtIn.shape != schema.shape {
        report(
          key,
          "the event \"\(schema.type)\" is built in with other data; rename it")
      }
      return
    }
    var parts = fields.map { Part(name: $0.name, value: $0.declaration) }
    if schema.isOwnAct { parts.append(Part(name: "mark", value: "from: recipient")) }
    guard registerDeclaration("the event \"\(schema.type)\"", parts, at: key) else { return }
    var schema = schema
    if case .report = schema.shape { schema.rememberedMax = 1 }
    catalog.add(schema)
    declareCopies(of: schema, at: key)
  }

  // MARK: - Fields

  private mutating func readField(_ entry: YAMLEntry) -> EventSchema.Field? {
    if let mapping = entry.value.mapping {
      let kind =
        mapping["list"].map { listField($0, of: entry) }
        ?? rememberedNumber(entry).map { .rememberedNumber($0) }
      return kind.map { EventSchema.Field(name: entry.name, kind: $0, isRequired: true) }
    }
    let text = entry.value.string ?? ""
    let isRequired = !text.hasSuffix("?")
    let word = isRequired ? text : String(text.dropLast())
    guard let kind = Self.kinds.first(where: { $0.word == word })?.kind else {
      let known = Self.kinds.map(\.word)
      report(
        entry.value,
        "\"\(text)\" is not a kind of field" + hint(word, known)
          + " (known: \(known.joined(separator: ", ")), {number: [1, 30], keep: highest}, "
          + "{list: {PHOTO: [a photo, photos]}})")
      return nil
    }
    guard isRequired || kind != .identifier else {
      report(entry.value, "an identifier cannot be optional")
      return nil
    }
    return EventSchema.Field(name: entry.name, kind: kind, isRequired: isRequired)
  }

  static let kinds: [(word: String, kind: EventSchema.FieldKind)] = [
    ("identifier", .identifier), ("instant", .instant), ("date", .date), ("text", .text),
    ("number", .number), ("flag", .flag), ("person", .person), ("place", .place),
    ("preview", .preview),
    ("recipient", .recipient), ("plan", .plan),
  ]

  /// Reads `{number: [1, 30], keep: highest}`.
  private mutating func rememberedNumber(_ entry: YAMLEntry) -> EventSchema.NumberField? {
    let members = members(entry.value, of: "the field \"\(entry.name)\"", .rememberedNumber)
    let range = members["number"].flatMap { self.range($0, "number") }
    let memory = members["keep"].flatMap { self.memory($0) }
    guard let range, let memory else { return nil }
    return EventSchema.NumberField(name: entry.name, range: range, memory: memory)
  }

  private mutating func memory(_ node: Node) -> EventSchema.Memory? {
    switch node.string {
    case "highest": return .highest
    case "each": return .each
    default:
      let word = node.string ?? ""
      report(
        node,
        "\"\(word)\" is not a way to keep a number" + hint(word, ["highest", "each"])
          + " (known: highest, each)")
      return nil
    }
  }
}

extension YAMLEntry {
  /// Whether the entry is the mark `from: recipient` and not a field named `from`.
  fileprivate var marksOwnAct: Bool { name == "from" && value.string == "recipient" }
}

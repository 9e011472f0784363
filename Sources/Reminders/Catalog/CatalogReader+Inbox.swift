import CivilTime
import Yams

extension CatalogReader {
  /// `batch: {by: [actor, room], window: 5m}`: what events that have these fields in common, in a
  /// window that opens at the first, bring is told of as one (rule N2).
  mutating func batch(_ node: Node, of schema: EventSchema?) -> BatchRule? {
    let parts = members(
      node, of: "\"batch\"", allowed: ["by", "window"], required: ["by", "window"])
    let nodes = parts["by"].map { $0.sequence.map(Array.init) ?? [$0] } ?? []
    let fields = nodes.compactMap { commonField($0, of: schema) }
    let window = parts["window"].flatMap { span($0, "window") }
    if let window, let node = parts["window"], !(.seconds(1)...(.days(1))).contains(window) {
      report(node, "\"window\" must be from 1s to 1d")
    }
    // That the event is none has been reported.
    guard let schema, let window, !fields.isEmpty, fields.count == nodes.count else { return nil }
    let counted = schema.fields.first { if case .list = $0.kind { true } else { false } }
    guard let counted else {
      report(node, "\"batch\" needs a list to count, which \(schema.type) does not carry")
      return nil
    }
    return BatchRule(by: fields, window: window, counted: Symbol(counted.name))
  }

  private mutating func commonField(_ node: Node, of schema: EventSchema?) -> Symbol? {
    guard let schema else { return nil }
    let known = schema.fields.filter(\.tellsApart).map(\.name)
    let name = node.string ?? ""
    if known.contains(name) { return Symbol(name) }
    report(
      node,
      "\"\(name)\" is not a field of \(schema.type) to batch by" + hint(name, known)
        + " (known: \(known.joined(separator: ", ")))")
    return nil
  }

  /// `opens: room`: what a tap on the notification opens; with it go who, where and the flags.
  mutating func link(_ node: Node, of schema: EventSchema?) -> Link? {
    let name = node.string ?? ""
    guard let target = Link.Target(rawValue: name) else {
      let known = Link.Target.allCases.map(\.rawValue)
      report(
        node,
        "\"\(name)\" is nothing to open" + hint(name, known)
          + " (known: \(known.joined(separator: ", ")))")
      return nil
    }
    guard let schema else { return nil }
    let needed: EventSchema.FieldKind? =
      switch target {
      case .room: .place
      case .profile: .person
      case .none: nil
      }
    if let needed, !schema.fields.contains(where: { $0.kind == needed && $0.isRequired }) {
      report(node, "to open a \(name), \(schema.type) needs a field of the kind \(needed)")
      return nil
    }
    let flags = schema.fields.filter { $0.kind == .flag }
    return Link(
      target: target, flags: flags.map { Link.Flag(field: Symbol($0.name), name: $0.name) })
  }

  /// `replacedBy: comment.mentioned`: that event about the same thing is told instead.
  mutating func replacement(_ node: Node, of schema: EventSchema?) -> Cancellation? {
    guard let event = event(node), let schema else { return nil }
    let other = self.schema(node)
    guard schema.identifierField != nil, other?.identifierField != nil else {
      report(
        node, "\"replacedBy\" needs an identifier in \(schema.type) and \(node.string ?? "")")
      return nil
    }
    return Cancellation(event: event, isOfOne: true, isWhenever: true)
  }
}

extension EventSchema.Field {
  /// Whether events can be told apart by it.
  fileprivate var tellsApart: Bool {
    switch kind {
    case .identifier, .text, .person, .place: isRequired
    case .instant, .number, .flag, .preview, .recipient, .list, .kept: false
    }
  }
}

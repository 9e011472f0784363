import CivilTime
import Outbox
package import Reminders
package import Yams

/// Reads `sinks` and `routes` of a configuration file.
package struct DeliveryConfigurationReader: YAMLReading {
  package let file: String
  package var diagnostics: [Diagnostic] = []
  private var sinks: [DeliveryConfiguration.DeclaredSink] = []
  /// The names of all declared sinks, including those with errors.
  private var names: [String] = []

  package init(file: String) {
    self.file = file
  }

  package mutating func read(sinks: Node?, routes: Node?) -> DeliveryConfiguration {
    for (name, node) in entries(sinks, "sinks") { readSink(name, node) }
    return DeliveryConfiguration(sinks: self.sinks, routes: readRoutes(routes))
  }

  // MARK: - Sinks

  private mutating func readSink(_ name: String, _ node: Node) {
    names.append(name)
    guard let kind = kind(of: name, node) else { return }
    let keys = MappingKeys.sink(kind)
    let members = members(node, of: "the sink \"\(name)\"", keys)
    var settings = SinkSettings(name: name, file: file, node: node, members: members)
    let common = SinkCommonSettings(
      name: name, deadline: deadline(of: kind, &settings) ?? .seconds(15),
      concurrency: concurrency(of: kind, &settings),
      rate: settings.number("rate", in: 1...1_000_000).map { Int($0) },
      receipts: settings.part("receipts", ReceiptConfiguration.keys) { part in
        ReceiptConfiguration(reading: &part)
      },
      replies: settings.part("replies", ReplyConfiguration.keys) { part in
        ReplyConfiguration(reading: &part)
      })
    let requirement = requirement(&settings)
    let isComplete = keys.requiredNames.allSatisfy { members[$0] != nil }
    let configuration = isComplete ? kind.init(reading: &settings) : nil
    diagnostics += settings.diagnostics
    guard let configuration else { return }
    sinks.append(
      DeliveryConfiguration.DeclaredSink(
        common: common, type: kind.type, requirement: requirement ?? kind.requirement,
        configuration: configuration))
  }

  private mutating func kind(of name: String, _ node: Node) -> (any SinkConfiguration.Type)? {
    guard let mapping = node.mapping, let type = mapping["type"] else {
      report(node, "the sink \"\(name)\" needs \"type\"")
      return nil
    }
    let typeName = type.string ?? ""
    guard let kind = SinkTypes.all.first(where: { $0.type == typeName }) else {
      let knownTypes = SinkTypes.all.map { $0.type }.sorted()
      report(
        type,
        "there is no sink of type \"\(typeName)\"" + hint(typeName, knownTypes)
          + " (known: \(knownTypes.joined(separator: ", ")))")
      return nil
    }
    return kind
  }

  private func deadline(
    of kind: any SinkConfiguration.Type, _ settings: inout SinkSettings
  ) -> TimeSpan? {
    guard settings.has("deadline"), !kind.waitsForOthers else {
      return settings.span("deadline", in: .milliseconds(100) ... .minutes(5))
    }
    settings.refuse(
      "deadline", "has no effect on a sink of type \(kind.type), which never waits: remove it")
    return nil
  }

  private func concurrency(
    of kind: any SinkConfiguration.Type, _ settings: inout SinkSettings
  ) -> Int? {
    guard settings.has("concurrency"), !kind.acceptsConcurrency else {
      return settings.number("concurrency", in: 1...1_000).map { Int($0) }
    }
    settings.refuse(
      "concurrency",
      "has no effect on a sink of type \(kind.type), which sends one delivery at a time: remove it")
    return nil
  }

  private func requirement(_ settings: inout SinkSettings) -> Requirement? {
    guard let word = settings.text("requires") else { return nil }
    let known = Requirement.allCases.map(\.rawValue).joined(separator: ", ")
    guard let requirement = Requirement(rawValue: word) else {
      settings.refuse("requires", "must be one of \(known)")
      return nil
    }
    return requirement
  }

  // MARK: - Routes

  private mutating func readRoutes(_ node: Node?) -> Routes {
    guard let node else {
      return names.count == 1 ? Routes(allTo: names[0]) : Routes([:])
    }
    let members = members(node, of: "routes", .routes)
    var routes = Routes([:])
    // A single sink gets all channels if there are no routes, or only a route of analytics events.
    let analyticsNames = AnalyticsRoute.allCases.map(\.rawValue)
    if names.count == 1, members.keys.allSatisfy(analyticsNames.contains), !members.isEmpty {
      routes = Routes(allTo: names[0])
    }
    for channel in Channel.allCases {
      guard let node = members[channel.name] else { continue }
      routes.sinks[channel] = route(node, of: channel.name)
    }
    routes.analytics = analyticsRoute(.analytics, members)
    routes.outcomes = analyticsRoute(.outcomes, members)
    if let name = routes.outcomes, name == routes.analytics, let node = members["outcomes"] {
      report(
        node,
        "\"\(name)\" is also the route of analytics, which carries outcomes if they have no route; "
          + "remove the route of outcomes, and set outcomes: true")
    }
    return routes
  }

  private mutating func route(_ node: Node, of channel: String) -> [String] {
    let entries = node.sequence.map { Array($0) } ?? [node]
    var route: [String] = []
    for entry in entries {
      let name = entry.string ?? ""
      if !names.contains(name) {
        report(entry, "\"\(name)\" is not a sink" + hint(name, names))
      } else if route.contains(name) {
        report(entry, "\"\(name)\" is already in the route of \(channel)")
      } else {
        route.append(name)
      }
    }
    return route
  }

  /// Reads a route of analytics events, which go to one sink, in order, without a fallback.
  private mutating func analyticsRoute(
    _ kind: AnalyticsRoute, _ members: [String: Node]
  ) -> String? {
    guard let node = members[kind.rawValue] else { return nil }
    let route = route(node, of: kind.rawValue)
    guard route.count <= 1 else {
      report(
        node, "\(kind.rawValue) go to one sink, not to \(route.count); forward them from that sink")
      return nil
    }
    guard let name = route.first else { return nil }
    // A missing or invalid sink has been reported at its declaration.
    if let sink = sinks.first(where: { $0.common.name == name }), !sink.acceptsAnalytics {
      let acceptingTypes = SinkTypes.all.filter { $0.acceptsAnalytics }.map { $0.type }.sorted()
      report(
        node,
        "\"\(name)\" is of type \(sink.type), which does not support \(kind.rawValue); "
          + "these do: \(acceptingTypes.joined(separator: ", "))")
      return nil
    }
    return name
  }
}

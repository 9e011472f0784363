import API
import Access
import Outbox
import PostgresStore
import Reminders
import Sinks
import Store
import Systemd

extension ShownConfiguration {
  /// Creates the list of the settings in use. Each value has the first of these origins that gives
  /// one: the command line, the configuration file, the environment, the default.
  init(_ setup: ServiceSetup, _ command: ServeCommand, _ stated: StatedSettings) {
    self.init(file: command.config)
    var list = SettingsList(stated: stated)
    list.addPaths(setup, command)
    list.addPlanning(setup, command.planning)
    list.addStated(under: "policies")
    list.addStore(setup)
    if let fleet = setup.fleet { list.add(fleet) }
    if let tracing = setup.tracing { list.add(tracing) }
    list.addRoutes(setup.delivery, isOption: command.sink != nil)
    for sink in setup.delivery.sinks { list.add(sink, isOption: command.sink != nil) }
    settings = list.settings
  }
}

/// Collects settings with their origins.
private struct SettingsList {
  let stated: StatedSettings
  private(set) var settings: [ShownConfiguration.Setting] = []

  init(stated: StatedSettings) { self.stated = stated }

  /// - Parameters:
  ///   - value: the value; nil or an empty text is shown as a dash.
  ///   - isOption: whether the command line sets the value.
  ///   - mayBeFromEnvironment: whether an environment variable can set the value.
  mutating func add(
    _ name: String, _ value: String?, isOption: Bool = false, mayBeFromEnvironment: Bool = false
  ) {
    let line = isOption ? nil : stated.line(of: name)
    let text = value.flatMap { $0.isEmpty ? nil : $0 }
    let otherOrigin: ShownConfiguration.Origin =
      mayBeFromEnvironment && text != nil ? .environment : .standard
    settings.append(
      ShownConfiguration.Setting(
        name: name, value: text ?? "-",
        origin: isOption ? .option : line != nil ? .file : otherOrigin, line: line))
  }

  mutating func addPaths(_ setup: ServiceSetup, _ command: ServeCommand) {
    let (access, options) = (setup.access, command.access)
    add(
      "state-directory", setup.stateDirectory, isOption: command.stateDirectory != nil,
      mayBeFromEnvironment: true)
    add("socket", setup.location.path, isOption: command.socket != nil)
    // An invalid address is not in use, so it is not shown.
    let address = (try? access.address()).map { "\($0)" }
    if SocketUnit.isActive {
      settings.append(
        ShownConfiguration.Setting(
          name: "listen", value: SocketUnit.summary, origin: .environment))
    } else {
      add("listen", address, isOption: options.listen != nil, mayBeFromEnvironment: true)
    }
    add("hosts", access.host.joined(separator: ", "), isOption: !options.host.isEmpty)
    add("public-url", setup.publicURL?.description)
    add("origins", setup.origins.map(\.description).joined(separator: ", "))
    add("interfaces", setup.interfaceNames)
    add("console", "\(setup.console != nil)")
    add("console.images", setup.console?.images.map(\.description).joined(separator: ", "))
    let areOptions = options.jwtKeys != nil
    add("jwt.keys", access.jwtKeys, isOption: areOptions)
    add("jwt.issuer", access.jwtIssuer, isOption: areOptions)
    add("jwt.audience", access.jwtAudience, isOption: areOptions)
  }

  mutating func addPlanning(_ setup: ServiceSetup, _ options: PlanningOptions) {
    let planning = setup.planning
    add(
      "catalogs", planning.catalog.joined(separator: ", "), isOption: !options.catalog.isEmpty)
    add("default-zone", planning.zoneName, isOption: options.defaultZone != nil)
    add("holidays", planning.holidays, isOption: options.holidays != nil)
    add("days-off", planning.daysOff.joined(separator: ", "), isOption: !options.daysOff.isEmpty)
  }

  mutating func addStore(_ setup: ServiceSetup) {
    add("outcomes", "\(setup.delivery.routes.logsOutcomes)")
    if let database = setup.database { add("store.postgresql.url", database.name) }
    add("clock.trust-after", "\(setup.clockTrustAfter)")
    add("retention.notifications", "\(setup.retention.notifications)")
    add("retention.events", "\(setup.retention.events)")
    add("retention.attempts", "\(setup.retention.attempts)")
    add("retention.analytics", "\(setup.retention.analytics)")
    add("retention.usage", "\(setup.retention.usage)")
    if let share = setup.auditShare {
      // A product such as 0.07 * 100 is not exact.
      add("audit.daily", "\((share * 1e8).rounded() / 1e6)%")
    }
  }

  mutating func add(_ fleet: FleetSettings) {
    add("fleet.name", fleet.name)
    add("fleet.lease", "\(fleet.lease)")
    guard let forwarding = fleet.forwarding else { return }
    add("fleet.listen", "\(forwarding.listen)")
    add("fleet.certificate", forwarding.certificate)
    add("fleet.key", forwarding.key)
    add("fleet.authority", forwarding.authority)
  }

  mutating func add(_ tracing: TracingSettings) {
    add("tracing.endpoint", SinkDisclosure.origin(tracing.endpoint))
    add("tracing.sample", "\(tracing.sample)")
  }

  mutating func addRoutes(_ delivery: DeliveryConfiguration, isOption: Bool) {
    for channel in Channel.allCases {
      let names = delivery.routes.sinks[channel] ?? []
      add("routes.\(channel.name)", names.joined(separator: ", "), isOption: isOption)
    }
    add("routes.analytics", delivery.routes.analytics, isOption: isOption)
    add("routes.outcomes", delivery.routes.outcomes, isOption: isOption)
  }

  /// Adds the settings below a path as they are in the file.
  mutating func addStated(under path: String) {
    settings += stated.settings(under: path).map {
      ShownConfiguration.Setting(name: $0.name, value: $0.text, origin: .file, line: $0.line)
    }
  }

  /// Adds a sink's settings as they are in the file, and its deadline if it can have one.
  mutating func add(_ sink: DeliveryConfiguration.DeclaredSink, isOption: Bool) {
    let prefix = "sinks.\(sink.common.name)"
    let statedSettings = isOption ? [] : stated.settings(under: prefix)
    if statedSettings.isEmpty { add(prefix + ".type", sink.type, isOption: isOption) }
    if !isOption { addStated(under: prefix) }
    let deadline = prefix + ".deadline"
    if sink.waitsForOthers, !statedSettings.contains(where: { $0.name == deadline }) {
      add(deadline, "\(sink.common.deadline)")
    }
  }
}

import API
import Access
import CivilTime
import Outbox
import Reminders
import Sinks
import Store
import Yams

/// Reads a configuration file.
struct ConfigurationFileReader: YAMLReading {
  let file: String
  var diagnostics: [Diagnostic] = []
  private var members: [String: Node] = [:]
  private var positions = ConfigurationPositions()

  init(file: String) {
    self.file = file
  }

  mutating func read(_ text: String) -> ConfigurationFile {
    var result = ConfigurationFile()
    guard let root = compose(text) else { return ConfigurationFile(isRead: false) }
    defer { sortDiagnostics(from: 0) }
    result.stated = StatedSettings(root)
    members = members(root, of: "a configuration", .configuration)
    result.stateDirectory = self.text("state-directory")
    result.database = database()
    var fleet = FleetSettingsReader(file: file)
    result.fleet = fleet.read(members["fleet"], isStoreShared: members["store"] != nil)
    diagnostics += fleet.diagnostics
    result.socket = self.text("socket")
    result.listen = self.text("listen")
    result.hosts = texts("hosts")
    result.publicURL = publicURL()
    result.origins = origins()
    result.interfaces = interfaces()
    result.console = console()
    result.tokens = webTokens()
    result.catalogs = texts("catalogs")
    result.defaultZone = self.text("default-zone")
    result.holidays = self.text("holidays")
    result.daysOff = texts("days-off")
    // The policies are read with the catalogs, which declare the categories that they name.
    result.policies = members["policies"].map {
      PolicySource(file: file, text: text, policies: $0)
    }
    if let trustAfter = clockTrustAfter() { result.clockTrustAfter = trustAfter }
    result.retention = retention()
    result.auditShare = auditShare()
    result.logsOutcomes = members["outcomes"].flatMap { toggle($0, "outcomes") } ?? false
    result.tracing = tracing()
    result.declaresSinks = members["sinks"] != nil
    var reader = DeliveryConfigurationReader(file: file)
    result.delivery = reader.read(sinks: members["sinks"], routes: members["routes"])
    diagnostics += reader.diagnostics
    for (key, _) in members["sinks"]?.mapping ?? [:] {
      positions.note(sink: key.string ?? "", key, in: file)
    }
    checkOutcomes(result)
    result.positions = positions
    return result
  }

  private mutating func text(_ key: String) -> String? {
    members[key].flatMap { readName($0, key) }
  }

  /// Reads a text and records its position, so that a later check can report it.
  ///
  /// - Parameter description: what the text is, for errors.
  private mutating func readName(_ node: Node, _ description: String) -> String? {
    guard let text = text(node, description) else { return nil }
    positions.note(text, node, in: file)
    return text
  }

  private mutating func texts(_ key: String) -> [String] {
    members[key].map { texts($0, key).map(\.text) } ?? []
  }

  /// Reads one text, or a list of texts, each with its position.
  private mutating func texts(_ node: Node, _ key: String) -> [(text: String, node: Node)] {
    guard let sequence = node.sequence else {
      return readName(node, key).map { [(text: $0, node: node)] } ?? []
    }
    var texts: [(text: String, node: Node)] = []
    for entry in sequence {
      if let text = readName(entry, "an entry of \(key)") { texts.append((text, entry)) }
    }
    return texts
  }

  private mutating func publicURL() -> PublicURL? {
    guard let node = members["public-url"], let text = text(node, "public-url") else { return nil }
    if let url = PublicURL(text) { return url }
    report(
      node,
      "public-url is \"\(text)\"; it must be this service's public https address, such as "
        + "https://notify.example.org")
    return nil
  }

  /// Reports a contradiction: `outcomes: false`, and a route of outcomes, which requires that
  /// outcomes are recorded (rule M6).
  private mutating func checkOutcomes(_ result: ConfigurationFile) {
    guard let node = members["outcomes"], node.bool == false,
      let sink = result.delivery.routes.outcomes
    else { return }
    report(
      node,
      "outcomes is false, but routes sends outcomes to \(sink); remove outcomes: false or the route"
    )
  }

  private mutating func origins() -> [PageOrigin] {
    let named = members["origins"].map { texts($0, "origins") } ?? []
    return named.compactMap { text, node in
      if let origin = PageOrigin(text) { return origin }
      report(
        node,
        "\"\(text)\" is not an origin; use https:// and a host, such as https://app.example, or "
          + "http://localhost and a port; omit the path; write non-ASCII letters of the host in "
          + "ASCII form (xn--)")
      return nil
    }
  }

  /// Returns the app interfaces that the key `interfaces` lists; all of them if the key is absent.
  private mutating func interfaces() -> Set<AppInterface> {
    guard let node = members["interfaces"] else { return Set(AppInterface.allCases) }
    let names = AppInterface.allCases.map(\.rawValue)
    let named: [AppInterface] = texts(node, "interfaces").compactMap { text, node in
      if let interface = AppInterface(rawValue: text) { return interface }
      report(
        node,
        "\"\(text)\" is not the interface of an app; use \(names.joined(separator: " or ")), or "
          + "[] for none" + hint(text, names))
      return nil
    }
    return Set(named)
  }

  /// Returns the console's settings; nil if it is disabled.
  private mutating func console() -> ConsoleSettings? {
    guard let node = members["console"] else { return ConsoleSettings() }
    guard node.mapping != nil else {
      return toggle(node, "console") == false ? nil : ConsoleSettings()
    }
    let nodes = members(node, of: "console", .console)
    var hosts: [ImageHost] = []
    let named = nodes["images"].map { texts($0, "images") } ?? []
    for (text, node) in named {
      if let host = ImageHost(text) {
        hosts.append(host)
      } else {
        report(node, "\"\(text)\" is not a host; use a name like images.example.org, no https://")
      }
    }
    return ConsoleSettings(images: hosts)
  }

  private mutating func database() -> String? {
    guard let node = members["store"] else { return nil }
    let kinds = members(node, of: "store", .store)
    guard let settings = kinds["postgresql"] else { return nil }
    let nodes = members(settings, of: "postgresql", .database)
    return nodes["url"].flatMap { text($0, "url") }
  }

  private mutating func clockTrustAfter() -> TimeSpan? {
    guard let node = members["clock"] else { return nil }
    let nodes = members(node, of: "clock", .clock)
    return nodes["trust-after"].flatMap { span($0, "trust-after") }
  }

  private mutating func auditShare() -> Double? {
    guard let node = members["audit"] else { return nil }
    guard let daily = members(node, of: "audit", .audit)["daily"] else { return nil }
    let text = daily.string ?? ""
    guard text.hasSuffix("%"), let percent = Double(text.dropLast()), percent > 0, percent <= 100
    else {
      report(
        daily, "daily is \"\(text)\"; it must be a share of all recipients, such as 0.1%")
      return nil
    }
    return percent / 100
  }

  private mutating func retention() -> Retention {
    var retention = Retention()
    guard let node = members["retention"] else { return retention }
    let nodes = members(node, of: "retention", .retention)
    if let span = retentionSpan("notifications", in: nodes) { retention.notifications = span }
    if let span = retentionSpan("events", in: nodes) { retention.events = span }
    if let span = retentionSpan("attempts", in: nodes) { retention.attempts = span }
    if let span = retentionSpan("analytics", in: nodes) { retention.analytics = span }
    if let span = retentionSpan("usage", in: nodes) { retention.usage = span }
    return retention
  }

  private mutating func retentionSpan(_ key: String, in nodes: [String: Node]) -> TimeSpan? {
    guard let node = nodes[key], let span = span(node, key) else { return nil }
    guard span >= Retention.least else {
      report(node, "\(key) must be at least 1d, such as 90d")
      return nil
    }
    return span
  }

  private mutating func tracing() -> TracingSettings? {
    guard let node = members["tracing"] else { return nil }
    let nodes = members(node, of: "tracing", .tracing)
    let sample = nodes["sample"].map { sampledShare($0) } ?? TracingSettings.sampleDefault
    guard let node = nodes["endpoint"], let endpoint = text(node, "endpoint") else { return nil }
    do {
      _ = try HTTPURL(endpoint)
    } catch {
      report(
        node,
        "endpoint \(error); give the collector's URL for traces, such as "
          + "http://127.0.0.1:4318/v1/traces")
      return nil
    }
    return sample.map { TracingSettings(endpoint: endpoint, sample: $0) }
  }

  private mutating func sampledShare(_ node: Node) -> Double? {
    guard let share = node.float, share > 0, share <= 1 else {
      report(
        node,
        "sample is \"\(node.string ?? "")\"; it must be a number above 0 and at most 1, "
          + "the share of all traces, such as 0.01")
      return nil
    }
    return share
  }

  private mutating func webTokens() -> ConfigurationFile.WebTokens {
    var tokens = ConfigurationFile.WebTokens()
    guard let node = members["jwt"] else { return tokens }
    let nodes = members(node, of: "jwt", .webTokens)
    tokens.keys = nodes["keys"].flatMap { readName($0, "keys") }
    tokens.issuer = nodes["issuer"].flatMap { text($0, "issuer") }
    tokens.audience = nodes["audience"].flatMap { text($0, "audience") }
    return tokens
  }
}

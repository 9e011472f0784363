import API
import CivilTime
import Fleet
import Glibc
import Reminders
import Yams

/// Reads the key `fleet` of a configuration file.
struct FleetSettingsReader: YAMLReading {
  let file: String
  var diagnostics: [Diagnostic] = []

  private static let forwardingKeys = ["listen", "certificate", "key", "authority"]

  init(file: String) { self.file = file }

  /// - Parameter isStoreShared: whether several nodes can use the store.
  mutating func read(_ node: Node?, isStoreShared: Bool) -> FleetSettings? {
    guard let node else { return nil }
    let nodesByKey = members(node, of: "fleet", .fleet)
    if !isStoreShared {
      report(
        node,
        "fleet needs store: {postgresql: {url: ...}}: several nodes share one database, but a "
          + "SQLite file belongs to one service")
    }
    var settings = FleetSettings()
    if let name = nodesByKey["name"].flatMap({ text($0, "name") }) { settings.name = name }
    if let lease = lease(nodesByKey["lease"]) { settings.lease = lease }
    settings.forwarding = forwarding(node, nodesByKey)
    return settings
  }

  private mutating func lease(_ node: Node?) -> TimeSpan? {
    guard let node, let lease = span(node, "lease") else { return nil }
    guard lease >= FleetTimes.leaseMin, lease <= FleetSettings.leaseMax else {
      let (least, most) = (FleetTimes.leaseMin, FleetSettings.leaseMax)
      report(node, "lease must be from \(least) to \(most)")
      return nil
    }
    return lease
  }

  private mutating func forwarding(
    _ node: Node, _ nodesByKey: [String: Node]
  ) -> FleetSettings.Forwarding? {
    let missing = Self.forwardingKeys.filter { nodesByKey[$0] == nil }
    guard missing.count < Self.forwardingKeys.count else { return nil }
    guard missing.isEmpty else {
      report(
        node,
        "fleet lacks \(missing.joined(separator: ", ")): set all of "
          + "\(Self.forwardingKeys.joined(separator: ", ")) if nodes are to forward requests to "
          + "each other, or none of them")
      return nil
    }
    let address = address(nodesByKey["listen"])
    var files: [String] = []
    for name in Self.forwardingKeys.dropFirst() {
      if let file = nodesByKey[name].flatMap({ text($0, name) }) { files.append(file) }
    }
    guard let address, files.count == 3 else { return nil }
    return FleetSettings.Forwarding(
      listen: address, certificate: files[0], key: files[1], authority: files[2])
  }

  /// Reads the address to which other nodes connect, which needs a specific host and port.
  private mutating func address(_ node: Node?) -> TCPAddress? {
    guard let node, let text = text(node, "listen") else { return nil }
    guard text.contains(":"), let address = TCPAddress(text), address.port != 0,
      !["0.0.0.0", "::"].contains(address.host)
    else {
      report(
        node,
        "listen of fleet is \"\(text)\"; it must be the ADDRESS:PORT at which the other nodes "
          + "reach this one, such as 10.0.0.5:7443")
      return nil
    }
    return address
  }
}

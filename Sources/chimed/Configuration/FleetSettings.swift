import API
import CivilTime
import Fleet
import Glibc
import Reminders
import TLS
import Yams

/// The settings of a fleet's node.
struct FleetSettings: Hashable {
  /// The longest lease.
  static let leaseMax = TimeSpan.minutes(1)

  /// The node's name, for display and for records about its machine.
  var name = HostName.current
  /// How long a node may be silent before others take over its shards.
  var lease = FleetTimes().lease
  /// How nodes forward requests to each other; nil if this node does not.
  var forwarding: Forwarding?

  /// Forwarding by mutual TLS. The paths are those of PEM files.
  struct Forwarding: Hashable {
    let listen: TCPAddress
    let certificate: String
    let key: String
    /// The authority that has signed the certificates of all nodes.
    let authority: String
  }

  /// All settings as one text, for comparison.
  var text: String {
    let parts = [name, "\(lease)"]
    guard let forwarding else { return parts.joined(separator: " ") }
    let files = [forwarding.certificate, forwarding.key, forwarding.authority]
    return (parts + ["\(forwarding.listen)"] + files).joined(separator: " ")
  }
}

/// Reads the key `fleet` of a configuration file.
struct FleetSettingsReader: YAMLReading {
  let file: String
  var diagnostics: [Diagnostic] = []

  private static let forwarding = ["listen", "certificate", "key", "authority"]

  init(file: String) { self.file = file }

  /// - Parameter isShared: whether several nodes can use the store.
  mutating func read(_ node: Node?, onStoreThat isShared: Bool) -> FleetSettings? {
    guard let node else { return nil }
    let parts = members(node, of: "fleet", allowed: ["name", "lease"] + Self.forwarding)
    if !isShared {
      report(
        node,
        "fleet needs store: {postgresql: {url: ...}}: several nodes share one database, but a "
          + "SQLite file belongs to one service")
    }
    var settings = FleetSettings()
    if let name = parts["name"].flatMap({ text($0, "name") }) { settings.name = name }
    if let lease = lease(parts["lease"]) { settings.lease = lease }
    settings.forwarding = forwarding(node, parts)
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
    _ node: Node, _ parts: [String: Node]
  ) -> FleetSettings.Forwarding? {
    let missing = Self.forwarding.filter { parts[$0] == nil }
    guard missing.count < Self.forwarding.count else { return nil }
    guard missing.isEmpty else {
      report(
        node,
        "fleet lacks \(missing.joined(separator: ", ")): nodes forward requests to each other "
          + "with all of \(Self.forwarding.joined(separator: ", ")), or with none of them")
      return nil
    }
    let address = address(parts["listen"])
    var files: [String] = []
    for name in Self.forwarding.dropFirst() {
      if let file = parts[name].flatMap({ text($0, name) }) { files.append(file) }
    }
    guard let address, files.count == 3 else { return nil }
    return FleetSettings.Forwarding(
      listen: address, certificate: files[0], key: files[1], authority: files[2])
  }

  /// Other nodes connect to this address, so it needs a specific host and port.
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

/// The machine's host name.
enum HostName {
  static var current: String {
    var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension FleetSettings.Forwarding {
  /// Reads the files and checks whether other nodes would trust this one.
  func membership(now: Instant) throws(TLSMembershipFault) -> TLSMembership {
    try TLSMembership(
      TLSMembership.Files(certificate: certificate, key: key, authority: authority),
      at: listen.host, seconds: now.milliseconds / 1_000)
  }
}

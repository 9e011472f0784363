import API
import CivilTime
import Fleet
import Glibc
import TLS

/// The settings of a fleet's node.
struct FleetSettings: Hashable {
  /// The longest lease.
  static let leaseMax = TimeSpan.minutes(1)

  /// The node's name, for display and for records about its machine.
  var name = HostName.current
  /// How long a node may be silent before others take over its shards.
  var lease = FleetTimes().lease
  /// How nodes forward requests to each other; nil if this node has no settings for that.
  var forwarding: Forwarding?

  /// Forwarding by mutual TLS. All paths name PEM files.
  struct Forwarding: Hashable {
    let listen: TCPAddress
    let certificate: String
    let key: String
    /// The certificate of the authority that signed the certificates of all nodes.
    let authority: String
  }

  /// All settings as one text, for comparison.
  var text: String {
    let values = [name, "\(lease)"]
    guard let forwarding else { return values.joined(separator: " ") }
    let files = [forwarding.certificate, forwarding.key, forwarding.authority]
    return (values + ["\(forwarding.listen)"] + files).joined(separator: " ")
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
  func membership(now: Instant) throws(TLSMembershipError) -> TLSMembership {
    try TLSMembership(
      TLSMembership.Files(certificate: certificate, key: key, authority: authority),
      at: listen.host, seconds: now.milliseconds / 1_000)
  }
}

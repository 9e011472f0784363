import API
import SocketLocation

/// What the service takes in when it starts and never again: its listeners and its store are open.
struct FixedSettings: Hashable, Sendable {
  private let settings: [String: String]

  init(_ setup: ServiceSetup) throws {
    settings = [
      "state-directory": setup.stateDirectory ?? "", "socket": setup.location.path,
      "listen": try setup.access.address().map { "\($0)" } ?? "",
      "clock": "\(setup.clockPatience)",
      "hosts": setup.access.host.joined(separator: " "),
    ]
  }

  /// The names of those that are not the same, as the configuration file has them.
  func differences(from other: FixedSettings) -> [String] {
    settings.keys.filter { settings[$0] != other.settings[$0] }.sorted()
  }
}

import API
import ArgumentParser
import Foundation

/// Whom the service serves, and where (rule H1).
struct AccessOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Listen for TCP as well: ADDRESS:PORT, or a port of the loopback; $CHIMED_LISTEN, or not at "
        + "all, if absent.", valueName: "address"))
  var listen: TCPAddress?

  @Option(
    help: ArgumentHelp(
      "A further name by which clients on this machine may call the service; may be repeated.",
      valueName: "name"))
  var host: [String] = []

  /// Where to listen for TCP.
  func address() throws -> TCPAddress? {
    if let listen { return listen }
    guard let text = ProcessInfo.processInfo.environment["CHIMED_LISTEN"], !text.isEmpty else {
      return nil
    }
    if let address = TCPAddress(text) { return address }
    throw ValidationError(
      "CHIMED_LISTEN is \"\(text)\"; it must be ADDRESS:PORT, such as 127.0.0.1:7411, or a port.")
  }
}

extension TCPAddress: ExpressibleByArgument {
  package init?(argument: String) {
    self.init(argument)
  }
}

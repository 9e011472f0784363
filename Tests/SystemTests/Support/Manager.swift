import Glibc

/// Receives a service's messages like a service manager (sd_notify(3)).
final class Manager {
  let descriptor: Int32
  let path: String
  /// The last status line.
  private(set) var status = ""
  /// All lines, in order.
  var messages: [String] = []

  init(in workspace: Workspace) throws {
    path = workspace.path + "/manager"
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = try Failure.check("socket", socket(AF_UNIX, kind, 0))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    _ = try Failure.check("bind to \(path)", result)
  }

  deinit {
    close(descriptor)
  }

  /// Waits until the messages meet the condition.
  func wait(for service: Service, until condition: (Manager) -> Bool) throws {
    while !condition(self) {
      guard !service.hasEnded else { throw Failure("the service has ended:\n\(service.log)") }
      try service.readOutput(others: [descriptor])
      read()
    }
  }

  /// Reads the available messages without blocking.
  func read() {
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return }
      let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
      messages += lines.map(String.init)
      for line in lines where line.hasPrefix("STATUS=") { status = String(line.dropFirst(7)) }
    }
  }
}

import Glibc
import Synchronization
import Testing

/// The service manager's end of sd_notify(3): a datagram socket in the abstract namespace or at a
/// path. It is closed on deinitialization.
final class NotificationSocket {
  let name: String
  private let descriptor: Int32
  private static let count = Atomic(0)

  /// - Parameter name: a path, or `@` and a name in the abstract namespace.
  init(at name: String) throws {
    self.name = name
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
    if name.hasPrefix("@") { address.sun_path.0 = 0 }
    let length = MemoryLayout<sa_family_t>.size + name.utf8.count + (name.hasPrefix("@") ? 0 : 1)
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(length))
      }
    }
    try #require(result == 0, "bind to \(name): errno \(errno)")
    // Only a failing test waits this long.
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  /// A socket with a unique name.
  convenience init() throws {
    let number = NotificationSocket.count.add(1, ordering: .relaxed).newValue
    try self.init(at: "@chimed-test-\(getpid())-\(number)")
  }

  deinit {
    close(descriptor)
    if name.hasPrefix("/") { unlink(name) }
  }

  /// Waits for the next datagram.
  func next() -> String? { receive(flags: 0) }

  /// Receives all datagrams that have arrived, the oldest first.
  func receiveAll() -> [String] {
    var messages: [String] = []
    while let message = receive(flags: Int32(MSG_DONTWAIT)) { messages.append(message) }
    return messages
  }

  private func receive(flags: Int32) -> String? {
    var buffer = [UInt8](repeating: 0, count: 8_192)
    let count = recv(descriptor, &buffer, buffer.count, flags)
    return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
  }
}

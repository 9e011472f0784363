import Foundation
import Testing

/// A server that never answers. It either accepts connections on 127.0.0.1 and sends nothing, or
/// does not complete connections to ::1.
final class SilentServer {
  let port: Int
  private var descriptors: [Int32]

  /// Accepts connections on 127.0.0.1.
  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    descriptors = [descriptor]
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) + listen(descriptor, 8) + getsockname(descriptor, $0, &size)
      }
    }
    try #require(result == 0)
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  /// Listens on ::1 with a full backlog, so that further connections get no answer.
  init(port: Int) throws {
    self.port = port
    descriptors = (0..<4).map { _ in socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0) }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = UInt16(port).bigEndian
    address.sin6_addr = in6addr_loopback
    let size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let descriptors = descriptors
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        let result = bind(descriptors[0], address, size) + listen(descriptors[0], 0)
        for other in descriptors.dropFirst() {
          _ = fcntl(other, F_SETFL, O_NONBLOCK)
          connect(other, address, size)
        }
        return result
      }
    }
    try #require(result == 0)
  }

  deinit {
    for descriptor in descriptors { close(descriptor) }
  }
}

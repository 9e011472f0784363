import Glibc
import NIOCore

/// A listening socket.
struct ListeningSocket: Sendable {
  /// The socket's descriptor, which its owner must close.
  let descriptor: CInt
  /// The address or path, for messages.
  let address: String
  /// Whether the socket is a Unix socket.
  let isLocal: Bool

  /// Listens at a TCP address.
  ///
  /// - Parameter remedy: what to do if the address is not available.
  init(
    at address: TCPAddress, remedy: String = "choose another address with --listen"
  ) throws(ListenError) {
    let family = address.isV6 ? AF_INET6 : AF_INET
    let flags = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(family, CInt(flags), 0)
    guard descriptor >= 0 else { throw ListenError("\(address)", "cannot create a socket", errno) }
    do throws(ListenError) {
      // A restart must not wait for connections of the previous process.
      Self.enable(descriptor, SOL_SOCKET, SO_REUSEADDR)
      if address.isV6 { Self.enable(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY) }
      try Self.bind(descriptor, to: address, remedy)
      guard Glibc.listen(descriptor, Self.backlog) == 0 else {
        throw ListenError("\(address)", "cannot be bound", errno)
      }
      try self.init(adopting: descriptor)
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Adopts a socket that is already listening.
  init(adopting descriptor: CInt) throws(ListenError) {
    let name = "inherited socket \(descriptor)"
    var isListening: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0 else {
      throw ListenError(name, "is not a socket; use ListenStream= in the socket unit", errno)
    }
    guard isListening == 1, let (address, isLocal) = Self.address(of: descriptor) else {
      throw ListenError(name, "does not accept connections; use ListenStream= in the socket unit")
    }
    self.descriptor = descriptor
    self.address = address
    self.isLocal = isLocal
  }

  /// Wraps a socket that is listening at a path.
  init(_ descriptor: CInt, path: String) {
    self.descriptor = descriptor
    address = path
    isLocal = true
  }

  /// The length of the queue of connections, enough for those that wait while the service restarts.
  /// The kernel limits it to net.core.somaxconn.
  static let backlog: CInt = 4_096

  private static func enable(_ descriptor: CInt, _ level: CInt, _ option: CInt) {
    var on: CInt = 1
    setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<CInt>.size))
  }

  private static func bind(
    _ descriptor: CInt, to address: TCPAddress, _ remedy: String
  ) throws(ListenError) {
    let target = try? SocketAddress(ipAddress: address.host, port: Int(address.port))
    let result = target?.withSockAddr { Glibc.bind(descriptor, $0, socklen_t($1)) }
    guard result == 0 else {
      throw ListenError("\(address)", "cannot be bound; \(remedy)", errno)
    }
  }

  /// Returns the socket's address; nil if the socket is neither Unix nor TCP.
  private static func address(of descriptor: CInt) -> (String, isLocal: Bool)? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard getsockname(descriptor, address, &length) == 0 else { return nil }
        switch CInt(address.pointee.sa_family) {
        case AF_UNIX: return (unixPath(storage.pointee), true)
        case AF_INET, AF_INET6: return numericAddress(address, length).map { ($0, false) }
        default: return nil
        }
      }
    }
  }

  /// Returns the address and port in numbers; nil if the system cannot convert them.
  private static func numericAddress(
    _ address: UnsafePointer<sockaddr>, _ length: socklen_t
  ) -> String? {
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let result = getnameinfo(
      address, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
      NI_NUMERICHOST | NI_NUMERICSERV)
    guard result == 0 else { return nil }
    let isV6 = CInt(address.pointee.sa_family) == AF_INET6
    return isV6 ? "[\(text(host))]:\(text(port))" : "\(text(host)):\(text(port))"
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func unixPath(_ storage: sockaddr_storage) -> String {
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    let path = withUnsafeBytes(of: storage) { Array($0.dropFirst(offset).prefix { $0 != 0 }) }
    return path.isEmpty ? "a Unix socket" : String(decoding: path, as: UTF8.self)
  }
}

/// Why the service cannot listen.
package struct ListenError: Error, CustomStringConvertible {
  package let description: String

  /// - Parameter code: the system's error number, if there is one.
  init(_ address: String, _ reason: String, _ code: CInt? = nil) {
    let cause = code.map { ": \(String(cString: strerror($0)))" } ?? ""
    description = "\(address) \(reason)\(cause)"
  }
}

/// A TCP address to listen at: `127.0.0.1:7411`, `[::1]:7411`, or a port alone, which means that
/// port of 127.0.0.1 (rule H1). Host names are not accepted, because they may resolve to any
/// address.
package struct TCPAddress: Hashable, Sendable, CustomStringConvertible {
  /// An IPv4 or IPv6 address.
  package let host: String
  /// The port; 0 for any free port.
  package let port: UInt16

  /// Parses an address; nil if the text is not one.
  package init?(_ text: String) {
    let colon = text.lastIndex(of: ":")
    let port = text[(colon.map(text.index(after:)) ?? text.startIndex)...]
    let isNumeric = port.allSatisfy { ("0"..."9").contains($0) }
    guard isNumeric, let port = UInt16(port) else { return nil }
    var host = colon.map { text[..<$0] } ?? "127.0.0.1"
    let isBracketed = host.first == "[" && host.last == "]"
    if isBracketed { host = host.dropFirst().dropLast() }
    guard isBracketed ? Self.isV6(host) : Self.isV4(host) else { return nil }
    self.host = String(host)
    self.port = port
  }

  package var description: String { isV6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

  var isV6: Bool { host.contains(":") }

  static func isV4(_ text: some StringProtocol) -> Bool { isAddress(text, of: AF_INET) }

  static func isV6(_ text: some StringProtocol) -> Bool { isAddress(text, of: AF_INET6) }

  private static func isAddress(_ text: some StringProtocol, of family: CInt) -> Bool {
    // An IPv6 address has 16 bytes, the larger of the two sizes.
    var address = [UInt8](repeating: 0, count: 16)
    return inet_pton(family, String(text), &address) == 1
  }
}

import Glibc
import Synchronization

/// Holds the listening sockets until a server serves them; connections wait in the kernel
/// meanwhile.
final class Listeners: Sendable {
  private let file: SocketFile
  private let tcp: TCPAddress?
  private let adoptedDescriptors: [CInt]
  /// The open sockets; nil before they are opened and after they are taken.
  private let sockets = Mutex<[ListeningSocket]?>(nil)

  /// - Parameters:
  ///   - file: the Unix socket to open if none of `adopted` is one.
  ///   - tcp: the TCP address to open if none of `adopted` is TCP; nil for none.
  ///   - adopted: listening sockets that another process opened.
  init(_ file: SocketFile, tcp: TCPAddress?, adopted: [CInt]) {
    (self.file, self.tcp, adoptedDescriptors) = (file, tcp, adopted)
  }

  deinit {
    guard let sockets = sockets.withLock({ $0.take() }) else { return }
    // Remove the file before the socket is closed: later, another file could be mistaken for it.
    file.remove()
    Self.close(sockets)
  }

  /// Opens all sockets or none; does nothing if they are open.
  func open() throws {
    try sockets.withLock { sockets in
      if sockets == nil { sockets = try openSockets() }
    }
  }

  /// Returns the open sockets to the caller, which must close them.
  func takeSockets() throws -> [ListeningSocket] {
    try open()
    return sockets.withLock { $0.take() } ?? []
  }

  private func openSockets() throws -> [ListeningSocket] {
    var sockets: [ListeningSocket] = []
    do {
      for descriptor in adoptedDescriptors {
        sockets.append(try ListeningSocket(adopting: descriptor))
      }
      if let tcp, !sockets.contains(where: { !$0.isLocal }) {
        sockets.append(try ListeningSocket(at: tcp))
      }
      if !sockets.contains(where: \.isLocal) {
        sockets.insert(ListeningSocket(try file.listen(mode: 0o660), path: file.path), at: 0)
      }
    } catch {
      Self.close(sockets)
      throw error
    }
    return sockets
  }

  private static func close(_ sockets: [ListeningSocket]) {
    for socket in sockets { Glibc.close(socket.descriptor) }
  }
}

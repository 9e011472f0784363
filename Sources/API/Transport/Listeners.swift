import Glibc
import Synchronization

/// The sockets that clients connect to, until somebody serves them: who has come before waits.
final class Listeners: Sendable {
  private let file: SocketFile
  private let tcp: TCPAddress?
  private let adopted: [CInt]
  private let sockets = Mutex<[ListeningSocket]?>(nil)

  /// - Parameters:
  ///   - file: where to listen, if none of `adopted` is a Unix socket.
  ///   - tcp: where to listen besides, if none of them is one of TCP; nowhere, if nil.
  ///   - adopted: sockets that somebody else opened and that listen already.
  init(_ file: SocketFile, tcp: TCPAddress?, adopted: [CInt]) {
    (self.file, self.tcp, self.adopted) = (file, tcp, adopted)
  }

  deinit {
    guard let sockets = sockets.withLock({ $0.take() }) else { return }
    // While the socket is open no other file can be taken for its own.
    file.remove()
    Self.close(sockets)
  }

  /// Opens all, or none; does nothing where they are open.
  func open() throws {
    try sockets.withLock { sockets in
      if sockets == nil { sockets = try opened() }
    }
  }

  /// Hands them over, opened, to who serves and closes them.
  func take() throws -> [ListeningSocket] {
    try open()
    return sockets.withLock { $0.take() } ?? []
  }

  private func opened() throws -> [ListeningSocket] {
    var sockets: [ListeningSocket] = []
    do {
      for descriptor in adopted { sockets.append(try ListeningSocket(adopting: descriptor)) }
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

import CCurl
import CivilTime
import Dispatch
import Synchronization
import Systemd

/// Where mail is handed in, and by which account.
package struct MailServer: Hashable, Sendable {
  /// smtp://HOST[:PORT] or smtps://HOST[:PORT].
  package let url: String
  /// Whether a server that offers no STARTTLS is refused.
  package let requiresTLS: Bool
  package let user: String?
  /// A file of certificates to trust instead of the system's.
  package let authorities: String?
}

/// A connection to a mail server, made when it is needed and kept. Not to be used by two at once.
final class SMTPConnection {
  private let connection: OpaquePointer

  /// Nil when memory is short.
  ///
  /// - Parameter hello: the name by which it greets the server.
  init?(server: MailServer, hello: String, password: Secret?, deadline: TimeSpan) {
    let opened = Self.withText(server.user) { user in
      Self.withText(password?.reveal()) { password in
        Self.withText(server.authorities) { authorities in
          "\(server.url)/\(Self.urlPath(hello))".withCString { url in
            var description = CCurlServer(
              url: url, user: user, password: password, authorities: authorities,
              requires_tls: server.requiresTLS, deadline_milliseconds: deadline.milliseconds)
            return ccurl_smtp_open(&description)
          }
        }
      }
    }
    guard let opened else { return nil }
    connection = opened
  }

  deinit {
    ccurl_smtp_close(connection)
  }

  /// An address's brackets are no part of a path.
  private static func urlPath(_ hello: String) -> String {
    hello.replacing("[", with: "%5B").replacing("]", with: "%5D")
  }

  private static func withText<Value>(
    _ text: String?, _ body: (UnsafePointer<CChar>?) -> Value
  ) -> Value {
    guard let text else { return body(nil) }
    return text.withCString(body)
  }

  /// Blocks the thread until the server has answered, or the deadline is past; nil when memory is
  /// short. A connection that the server had given up is made anew, once.
  func send(_ mail: Mail) -> MailReceipt? {
    let receipt = attempt(mail)
    return receipt?.isOfStaleConnection == true ? attempt(mail) : receipt
  }

  private func attempt(_ mail: Mail) -> MailReceipt? {
    var receipt = CCurlReceipt()
    let isDone = mail.bytes.withUnsafeBytes { bytes in
      guard let address = bytes.baseAddress else { return false }
      return ccurl_smtp_send(
        connection, "<\(mail.sender)>", "<\(mail.recipient)>", address, bytes.count,
        mail.sender.needsUTF8 || mail.recipient.needsUTF8, &receipt)
    }
    return isDone ? MailReceipt(receipt) : nil
  }
}

/// A message in its envelope.
struct Mail {
  let sender: MailAddress
  let recipient: MailAddress
  let bytes: [UInt8]
}

extension MailReceipt {
  fileprivate init(_ receipt: CCurlReceipt) {
    stage =
      switch receipt.stage {
      case .connecting: .connecting
      case .authenticating: .authenticating
      case .sender: .sender
      case .recipient: .recipient
      case .content: .content
      }
    isAccepted = receipt.is_accepted
    isTimeout = receipt.is_timeout
    isOfStaleConnection = receipt.is_stale_connection
    lacksUTF8 = receipt.lacks_utf8
    lacksAUTH = receipt.lacks_auth
    duration = TimeSpan(milliseconds: receipt.duration_microseconds / 1_000)
    let said = withUnsafeBytes(of: receipt.reply) {
      String(decoding: $0.prefix(receipt.reply_count), as: UTF8.self)
    }
    reply = receipt.reply_code == 0 ? nil : Reply(code: Int(receipt.reply_code), text: said)
    problem = withUnsafeBytes(of: receipt.error) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

/// A connection with a thread of its own while there is something to send: what stalls there holds
/// up no other connection.
final class MailConnection: Sendable {
  private let queue = DispatchQueue(label: "mail connection")
  private let connection: Mutex<SMTPConnection>

  init(_ connection: sending SMTPConnection) {
    self.connection = Mutex(connection)
  }

  /// Does what blocks, after whatever was asked for before.
  func work(_ body: @escaping @Sendable (SMTPConnection) -> Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        continuation.resume(returning: connection.withLock { body($0) })
      }
    }
  }
}

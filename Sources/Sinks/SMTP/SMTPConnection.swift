import CCurl
import CivilTime
import Cryptography
import Dispatch
import Synchronization

/// A mail server and the account there.
package struct MailServer: Hashable, Sendable {
  /// The server's URL: smtp://HOST[:PORT] or smtps://HOST[:PORT].
  package let url: String
  /// Whether a server without STARTTLS is refused.
  package let requiresTLS: Bool
  /// The user at the server; nil without authentication.
  package let user: String?
  /// The PEM file of trusted certificates; nil for the system's.
  package let authorities: String?
}

/// A connection to a mail server, opened on first use and kept open. Only one thread at a time may
/// use it.
final class SMTPConnection {
  private let connection: OpaquePointer

  /// Creates the connection without opening it; nil if memory is short.
  ///
  /// - Parameter hello: the EHLO name.
  init?(server: MailServer, hello: String, password: Secret?, deadline: TimeSpan) {
    let handle = Self.withText(server.user) { user in
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
    guard let handle else { return nil }
    connection = handle
  }

  deinit {
    ccurl_smtp_close(connection)
  }

  /// Percent-encodes the brackets of an EHLO name that is an IP address; a URL's path cannot
  /// contain them.
  private static func urlPath(_ hello: String) -> String {
    hello.replacing("[", with: "%5B").replacing("]", with: "%5D")
  }

  private static func withText<Value>(
    _ text: String?, _ body: (UnsafePointer<CChar>?) -> Value
  ) -> Value {
    guard let text else { return body(nil) }
    return text.withCString(body)
  }

  /// Sends a mail and blocks until the server's answer or the deadline; nil if memory is short. If
  /// the server had already ended the connection, the mail is sent on a new one.
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

/// A message with its envelope.
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
    let text = withUnsafeBytes(of: receipt.reply) {
      String(decoding: $0.prefix(receipt.reply_count), as: UTF8.self)
    }
    reply = receipt.reply_code == 0 ? nil : Reply(code: Int(receipt.reply_code), text: text)
    problem = withUnsafeBytes(of: receipt.error) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

/// A connection with a separate serial queue, so that a stalled connection does not delay others.
final class MailConnection: Sendable {
  private let queue = DispatchQueue(label: "mail connection")
  private let connection: Mutex<SMTPConnection>

  init(_ connection: sending SMTPConnection) {
    self.connection = Mutex(connection)
  }

  /// Runs a blocking closure after all earlier closures.
  func perform(_ body: @escaping @Sendable (SMTPConnection) -> Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        continuation.resume(returning: connection.withLock { body($0) })
      }
    }
  }
}

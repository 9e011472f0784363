import CivilTime
import Cryptography
import Foundation
package import Outbox
package import Reminders
import Synchronization

/// Sends deliveries to a mail server, several at once, over connections that stay open.
///
/// A mail without an answer delays the mails that wait for the same connection, and the next batch,
/// until the mail's deadline.
package final class SMTPSink: ReportingSink {
  package let name: String
  package let type = SMTPConfiguration.type
  package let window = 256
  package let needsAddressee = true
  let composer: MailComposer
  /// Removes the password from the server's replies.
  private let redaction: Redaction
  private let connections: [MailConnection]

  /// The default number of connections. It is low because servers limit the connections of a
  /// client.
  private static let concurrencyDefault = 4

  init(
    _ common: SinkCommonSettings, server: MailServer, hello: String, password: Secret?,
    composer: MailComposer
  ) throws {
    name = common.name
    self.composer = composer
    redaction = Self.redaction(user: server.user, password)
    connections = try (0..<(common.concurrency ?? Self.concurrencyDefault)).map { _ in
      guard
        let connection = SMTPConnection(
          server: server, hello: hello, password: password, deadline: common.deadline)
      else { throw SinkOutage("libcurl cannot be used: there is not enough memory") }
      return MailConnection(connection)
    }
  }

  /// The redaction of the password: plain, and encoded as in the mechanisms PLAIN (RFC 4616) and
  /// LOGIN.
  private static func redaction(user: String?, _ password: Secret?) -> Redaction {
    guard let user, let password = password?.reveal() else { return Redaction([]) }
    let encodedForms = [password, "\0\(user)\0\(password)"].map {
      Data($0.utf8).base64EncodedString()
    }
    return Redaction(([password] + encodedForms).map { Secret($0) })
  }

  package func deliver(
    _ deliveries: [Delivery], _ progress: BatchProgress
  ) async throws(SinkOutage) -> [SinkAnswer] {
    let batch = Batch(deliveries, progress)
    var usable = Array(connections.prefix(deliveries.count))
    while !usable.isEmpty, batch.round.withLock({ !$0.areAllStarted }) {
      usable = await run(batch, by: usable)
    }
    return try batch.round.withLock { $0 }.result()
  }

  /// Sends mails over several connections until no mail is left, or until each connection has
  /// failed.
  ///
  /// - Returns: the connections that can be used again.
  private func run(_ batch: Batch, by connections: [MailConnection]) async -> [MailConnection] {
    await withTaskGroup(of: MailConnection?.self) { group in
      for connection in connections {
        group.addTask {
          await connection.perform { self.run(batch, by: $0) } ? connection : nil
        }
      }
      return await group.reduce(into: []) { if let connection = $1 { $0.append(connection) } }
    }
  }

  private final class Batch: Sendable {
    let deliveries: [Delivery]
    let round: Mutex<MailRound>

    init(_ deliveries: [Delivery], _ progress: BatchProgress) {
      self.deliveries = deliveries
      round = Mutex(MailRound(count: deliveries.count, progress))
    }
  }

  /// Sends mails that no other connection has started, one after the other.
  ///
  /// - Returns: whether the connection can be used again.
  private func run(_ batch: Batch, by connection: SMTPConnection) -> Bool {
    while let index = batch.round.withLock({ $0.next() }) {
      guard send(index, of: batch, by: connection) else { return false }
    }
    return true
  }

  /// Composes and sends one mail, and records the result.
  ///
  /// - Returns: whether the connection can be used again.
  private func send(_ index: Int, of batch: Batch, by connection: SMTPConnection) -> Bool {
    let delivery = batch.deliveries[index]
    switch composer.compose(delivery) {
    case .rejected(let reason):
      batch.round.withLock { $0.recordAnswer(index, .rejected(reason: reason)) }
      return true
    case .mail(let mail):
      // The server gets the domain as A-labels and may repeat it, so both forms of the address are
      // removed.
      let redaction = redaction.adding(Secret(delivery.addressee?.email ?? ""))
        .adding(Secret("\(mail.recipient)"))
      let verdict =
        connection.send(mail)?.verdict(to: mail.recipient, hiding: redaction)
        ?? .outage(SinkOutage("there is not enough memory to send"))
      return batch.round.withLock { $0.finish(index, verdict) }
    }
  }
}

package import Outbox
import Synchronization

/// The readers of the requests that delivery services send, by the names of their sinks. A sink is
/// the adapter to such a service.
package struct ServiceReaders: Sendable {
  /// The reader of a sink's replies, and the message that answers a request for help; the message
  /// is nil if such a request gets no answer.
  package struct Replies: Sendable {
    let reader: any ReplyReader
    let help: String?

    package init(reader: any ReplyReader, help: String?) {
      (self.reader, self.help) = (reader, help)
    }
  }

  /// The readers of reports about deliveries (rule D12).
  package var receipts: [String: any ReceiptReader]
  /// The readers of people's replies (rule D14).
  package var replies: [String: Replies]

  package init(receipts: [String: any ReceiptReader] = [:], replies: [String: Replies] = [:]) {
    (self.receipts, self.replies) = (receipts, replies)
  }
}

/// The current readers of delivery services' requests. A reload replaces them.
package final class CurrentServiceReaders: Sendable {
  private let readers: Mutex<ServiceReaders>

  package init(_ readers: ServiceReaders = ServiceReaders()) {
    self.readers = Mutex(readers)
  }

  package var value: ServiceReaders {
    get { readers.withLock(\.self) }
    set { readers.withLock { $0 = newValue } }
  }
}

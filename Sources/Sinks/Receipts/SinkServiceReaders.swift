package import Outbox

/// The readers of the requests that a sink's service sends.
package struct SinkServiceReaders: Sendable {
  /// The reader of reports about deliveries; nil if the sink has no `receipts`.
  package let receipts: (any ReceiptReader)?
  /// The reader of people's replies; nil if the sink has no `replies`.
  package let replies: (any ReplyReader)?

  package init(receipts: (any ReceiptReader)? = nil, replies: (any ReplyReader)? = nil) {
    (self.receipts, self.replies) = (receipts, replies)
  }
}

import NIOCore

/// Follows where requests begin and end in the bytes that the general decoder receives.
///
/// `EventRequestHandler` may answer a request without the decoder, but only between two requests.
/// That position is known only if all earlier requests had a plain head. Otherwise the decoder
/// might hold bytes of a request, and two readers of one connection would disagree about where a
/// request begins.
struct RequestFraming {
  private enum Position {
    case betweenRequests
    /// Within a head, with its bytes so far.
    case inHead(ByteBuffer)
    /// Within a body of which `remaining` bytes follow.
    case inBody(remaining: Int)
    /// A request was not plain; the position stays unknown.
    case unknown
  }

  private var position = Position.betweenRequests
  private let needsHost: Bool

  /// - Parameter needsHost: whether the decoder's handlers refuse a head without the Host header.
  init(needsHost: Bool) {
    self.needsHost = needsHost
  }

  var isBetweenRequests: Bool {
    if case .betweenRequests = position { true } else { false }
  }

  /// Advances behind bytes that the decoder receives.
  mutating func advance(over bytes: ByteBuffer) {
    var bytes = bytes
    while bytes.readableBytes > 0 {
      switch position {
      case .unknown: return
      case .inBody(let remaining):
        let count = min(remaining, bytes.readableBytes)
        bytes.moveReaderIndex(forwardBy: count)
        position = count == remaining ? .betweenRequests : .inBody(remaining: remaining - count)
      case .inHead(var head):
        position = .betweenRequests
        let searchedCount = head.readableBytes
        head.writeImmutableBuffer(bytes)
        bytes = head
        advanceOverHead(&bytes, searchedCount)
      case .betweenRequests: advanceOverHead(&bytes, 0)
      }
    }
  }

  /// - Parameter searchedCount: how many of the bytes have been searched for the end of the head.
  private mutating func advanceOverHead(_ bytes: inout ByteBuffer, _ searchedCount: Int) {
    let searched = bytes.readableBytesView.dropFirst(max(0, searchedCount - 3))
    if !searched.hasEmptyLine && bytes.readableBytes < PlainRequestHead.lengthMax {
      position = .inHead(bytes)
      bytes.moveReaderIndex(to: bytes.writerIndex)
    } else if let head = PlainRequestHead(bytes.readableBytesUInt8Span, needsHost: needsHost) {
      bytes.moveReaderIndex(forwardBy: head.length)
      if head.bodyLength > 0 { position = .inBody(remaining: head.bodyLength) }
    } else {
      position = .unknown
    }
  }
}

extension Collection<UInt8> {
  /// Whether the bytes contain the empty line that ends a head.
  fileprivate var hasEmptyLine: Bool {
    var matchedCount = 0
    for byte in self {
      if byte == (matchedCount.isMultiple(of: 2) ? 0x0d : 0x0a) {
        matchedCount += 1
        if matchedCount == 4 { return true }
      } else {
        matchedCount = byte == 0x0d ? 1 : 0
      }
    }
    return false
  }
}

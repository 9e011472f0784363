package import NIOCore

/// Receives complete requests, and answers each by its script.
package final class AnswerConnection: ChannelInboundHandler {
  package typealias InboundIn = ByteBuffer

  private let book: AnswerBook<AnswerScript>
  private var received: [UInt8] = []

  package init(_ book: AnswerBook<AnswerScript>) {
    self.book = book
  }

  package func channelActive(context: ChannelHandlerContext) {
    let greeting = book.greeting
    if !greeting.isEmpty { AnswerWriter(context: context).write([greeting]) }
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received += unwrapInboundIn(data).readableBytesView
    while let request = takeRequest() {
      let script = book.script(for: request)
      let writer = AnswerWriter(context: context)
      writer.write(script.pieces)
      if !script.endless.isEmpty {
        writer.repeatEndlessly(script.endless) { [book] in book.note("client reads without end") }
      }
      writer.end(script.ending)
    }
  }

  /// Removes and returns the first request; nil if none has arrived completely.
  private func takeRequest() -> [UInt8]? {
    guard let end = received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return nil }
    let head = String(decoding: received[..<end], as: UTF8.self).lowercased()
    let line = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
    let length = line.flatMap { Int($0.dropFirst(15).filter { $0 != " " }) } ?? 0
    guard received.count >= end + length else { return nil }
    defer { received.removeFirst(end + length) }
    return Array(received[..<(end + length)])
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}

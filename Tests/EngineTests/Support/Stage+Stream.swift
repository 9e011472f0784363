import Reminders
import Store
import Testing

@testable import Engine

/// The client's side of a stream.
struct Stream {
  let watch: Watch
  let signal: StreamSignal
  var backlog: StreamBacklog
  var cursor: String
}

extension Stage {
  func watchAnswer(
    of name: String = "amina", from cursor: String? = nil, _ signal: StreamSignal = StreamSignal()
  ) throws -> WatchAnswer {
    try query(WatchQuery(name, from: cursor, signal: signal))
  }

  func stream(of name: String = "amina", from cursor: String? = nil) throws -> Stream {
    let signal = StreamSignal()
    let answer = try watchAnswer(of: name, from: cursor, signal)
    guard case .watching(let watch, let backlog, let cursor) = answer else {
      throw NoStream(answer: "\(answer)")
    }
    return Stream(watch: watch, signal: signal, backlog: backlog, cursor: cursor)
  }

  struct NoStream: Error {
    let answer: String
  }

  func page(_ stream: inout Stream, on channels: ChannelSet = .all) throws -> StreamPage? {
    let page = try query(StreamPageQuery(of: stream.watch, stream.backlog, on: channels))
    if let page {
      stream.backlog = page.backlog
      stream.cursor = page.cursor ?? page.items.last?.cursor ?? stream.cursor
    }
    return page
  }

  /// Reads all deliveries that are available now.
  func read(_ stream: inout Stream, on channels: ChannelSet = .all) throws -> [StreamPage.Item] {
    var items: [StreamPage.Item] = []
    while let page = try page(&stream, on: channels) {
      items += page.items
      if !page.hasMore { return items }
    }
    throw NoStream(answer: "the backlog is too long")
  }

  func read(
    of name: String = "amina", from cursor: String? = nil, on channels: ChannelSet = .all
  ) throws -> [StreamPage.Item] {
    var stream = try stream(of: name, from: cursor)
    return try read(&stream, on: channels)
  }

  func instance() throws -> String { try core().store.instance }
}

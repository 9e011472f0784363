extension Tally {
  func write(to writer: inout ByteWriter) {
    writer.count(counts.count)
    for count in counts { writer.signed(Int64(count)) }
    writer.count(thumbnails.count)
    for thumbnail in thumbnails {
      writer.text(thumbnail.sort)
      writer.text(thumbnail.url)
    }
  }

  init(from reader: inout ByteReader) throws(CodingFailure) {
    var counts: [Int] = []
    for _ in 0..<(try reader.count()) { counts.append(Int(clamping: try reader.signed())) }
    var thumbnails: [Thumbnail] = []
    for _ in 0..<(try reader.count()) {
      thumbnails.append(Thumbnail(sort: try reader.text(), url: try reader.text()))
    }
    self.init(counts: counts, thumbnails: thumbnails)
  }
}

extension ByteWriter {
  mutating func optional(_ text: String?) {
    count(text == nil ? 0 : 1)
    if let text { self.text(text) }
  }
}

extension ByteReader {
  mutating func optional() throws(CodingFailure) -> String? {
    try count() == 1 ? try text() : nil
  }
}

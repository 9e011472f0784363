import CivilTime

extension Batch {
  func write(to writer: inout ByteWriter) {
    writer.symbol(reminder)
    writer.text(subject.text)
    writer.signed(opener)
    writer.signed(opened.milliseconds)
    writer.signed(latest.milliseconds)
    writer.count(isClosed ? 1 : 0)
    tally.write(to: &writer)
  }

  init(from reader: inout ByteReader) throws(CodingFailure) {
    reminder = try reader.symbol()
    subject = ExactText(try reader.text())
    opener = try reader.signed()
    let (opened, latest) = (try reader.signed(), try reader.signed())
    self.opened = Instant(milliseconds: min(opened, latest))
    self.latest = Instant(milliseconds: max(opened, latest))
    isClosed = try reader.count() == 1
    tally = try Tally(from: &reader)
  }
}

package import Reminders

/// The texts of a message, which are the columns of `message` from `reminder` on.
package enum MessageRow {
  package static func message(from reader: inout some RowReader) -> Message {
    Message(
      reminder: reader.text(), category: reader.text(), title: reader.text(),
      body: reader.text(), details: reader.text(),
      members: reader.text().split(separator: ",").map(String.init),
      discreet: discreet(from: &reader), trace: TraceContext(text: reader.text()))
  }

  private static func discreet(from reader: inout some RowReader) -> DiscreetText? {
    let (text, channels) = (reader.text(), ChannelSet(rawValue: reader.byte()))
    return text.isEmpty ? nil : DiscreetText(text: text, channels: channels)
  }

  package static func put(_ message: Message, to writer: inout some RowWriter) {
    writer.put(text: message.reminder)
    writer.put(text: message.category)
    writer.put(text: message.title)
    writer.put(text: message.body)
    writer.put(text: message.details)
    writer.put(text: message.members.joined(separator: ","))
    writer.put(text: message.discreet?.text ?? "")
    writer.put(integer: Int64(message.discreet?.channels.rawValue ?? 0))
    writer.put(text: message.trace?.text ?? "")
  }
}

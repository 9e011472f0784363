import JSON
import Systemd
import Testing

@Suite struct JournalEntryTests {
  private let evening = Timestamp(seconds: 1_772_420_400, milliseconds: 7)

  @Test func `every field is an assignment`() {
    let entry = JournalEntry(
      message: "two\nlines", priority: .warning,
      fields: [(.recipient, "u1\nPRIORITY=0"), (.reason, "")], messageID: MessageKind.started.id)
    #expect(
      entry.assignments == [
        "MESSAGE=two\nlines", "PRIORITY=4", "MESSAGE_ID=\(MessageKind.started.id)",
        "CHIME_RECIPIENT=u1\nPRIORITY=0", "CHIME_REASON=",
      ])
  }

  @Test func `a line has time, priority, message and fields`() {
    let entry = JournalEntry(
      message: "held", priority: .informational,
      fields: [(.recipient, "u1"), (.reason, "quiet hours"), (.until, "2026-03-02T07:00:00Z")],
      messageID: MessageKind.notificationHeld.id)
    #expect(
      entry.line(at: evening) == """
        2026-03-02T03:00:00.007Z informational: held CHIME_RECIPIENT=u1 \
        CHIME_REASON="quiet hours" CHIME_UNTIL=2026-03-02T07:00:00Z

        """)
  }

  @Test(arguments: [
    ("plain", "plain"), ("", #""""#), ("a b", #""a b""#), (#"a"b"#, #""a\"b""#),
    ("a\nb", #""a\nb""#), ("é", "é"), ("a\u{1B}[2J", #""a\u{1B}[2J""#),
    ("a\u{2028}b", #""a\u{2028}b""#),
  ])
  func `no value can forge a line`(value: String, shown: String) {
    let entry = JournalEntry(message: value, priority: .debug, fields: [(.sink, value)])
    let line = entry.line(at: evening)
    #expect(line.hasSuffix(" CHIME_SINK=\(shown)\n"))
    #expect(line.unicodeScalars.count { $0 == "\n" || $0 == "\u{2028}" || $0 == "\u{1B}" } == 1)
  }

  @Test func `S11: a JSON line has the journal's fields, and repeated fields as arrays`() throws {
    let entry = JournalEntry(
      message: "two\nlines", priority: .informational,
      fields: [(.sink, "mail"), (.recipient, "u\u{1}\u{2028}"), (.sink, "sms"), (.reason, "")],
      messageID: MessageKind.started.id)
    let line = entry.json(at: evening)
    #expect(line.count { $0 < 0x20 } == 1 && line.last == UInt8(ascii: "\n"))
    #expect(
      String(decoding: line, as: UTF8.self) == """
        {"time":"2026-03-02T03:00:00.007Z","level":"info","message":"two\\nlines",\
        "MESSAGE_ID":"\(MessageKind.started.id)","CHIME_SINK":["mail","sms"],\
        "CHIME_RECIPIENT":"u\\u0001\u{2028}","CHIME_REASON":""}

        """)
    #expect(try JSONParser.parse(Array(line.dropLast()))["CHIME_SINK"]?[1] == "sms")
  }

  @Test(arguments: JournalPriority.allCases)
  func `S11: a level is the word that log collectors use`(priority: JournalPriority) throws {
    let line = JournalEntry(message: "", priority: priority).json(at: evening)
    let level = try JSONParser.parse(Array(line.dropLast()))["level"]?.stringValue
    let levels = [
      "emergency", "alert", "critical", "error", "warning", "notice", "info", "debug",
    ]
    #expect(level == levels[Int(priority.rawValue)])
  }

  @Test(arguments: [
    (0, 0, "1970-01-01T00:00:00.000Z"), (951_782_400, 999, "2000-02-29T00:00:00.999Z"),
    (1_798_761_599, 50, "2026-12-31T23:59:59.050Z"),
  ])
  func `timestamps are in UTC`(seconds: Int, milliseconds: Int, text: String) {
    #expect(Timestamp(seconds: seconds, milliseconds: milliseconds).description == text)
  }

  @Test(arguments: [
    ("8:12345", true), ("8:12346", false), ("9:12345", false), ("", false), ("8", false),
    ("8:12345:", false),
  ])
  func `journald is used only if JOURNAL_STREAM names the file`(variable: String, listens: Bool) {
    #expect(Journal.Destination.matches(variable, device: 8, inode: 12_345) == listens)
  }

  @Test func `a line has its kind's priority, but no message id`() throws {
    let log = try Pipe()
    log.journal.send(.storeInUse, "in use")
    log.journal.send(message: "plain", priority: .notice, fields: [(.sink, "ntfy")])
    #expect(
      log.lines().map(withoutTimestamp) == ["error: in use", "notice: plain CHIME_SINK=ntfy"])
  }
}

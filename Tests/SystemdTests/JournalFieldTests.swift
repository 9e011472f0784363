import Systemd
import Testing

@Suite struct JournalFieldTests {
  @Test(arguments: ["MESSAGE", "A", "CHIME_2", "A_", String(repeating: "A", count: 64)])
  func `names that journald keeps are accepted`(name: String) throws {
    #expect(try #require(JournalField(name)).description == name)
  }

  @Test(arguments: [
    "", "_PID", "lower", "1ST", "A-B", "A B", "A=B", "A\nB", "Ä", "A\u{0}",
    String(repeating: "A", count: 65),
  ])
  func `names that journald drops are refused`(name: String) {
    #expect(JournalField(name) == nil)
  }

  @Test(arguments: [
    ("hb.request.id", "HB_REQUEST_ID"), ("ahc-el", "AHC_EL"), ("eventLoop", "EVENTLOOP"),
    ("_private", "LOG__PRIVATE"), ("404", "LOG_404"), ("", "LOG_"), ("é", "LOG___"),
    ("message", "LOG_MESSAGE"), ("PRIORITY", "LOG_PRIORITY"), ("message_id", "LOG_MESSAGE_ID"),
    ("a=b\nPRIORITY=0", "A_B_PRIORITY_0"),
    (String(repeating: "a", count: 99), String(repeating: "A", count: 64)),
    (String(repeating: "1", count: 99), "LOG_" + String(repeating: "1", count: 60)),
  ])
  func `every key becomes a valid field`(key: String, name: String) {
    let field = JournalField(key: key)
    #expect(field.description == name)
    #expect(JournalField(field.description) == field)
  }

  @Test func `the declared fields are valid and distinct`() {
    let constants: [JournalField] = [
      .message, .messageID, .priority, .recipient, .reminder, .notification, .channel, .sink,
      .verdict, .reason, .until,
    ]
    for field in constants { #expect(JournalField(field.description) == field) }
    #expect(Set(constants).count == constants.count)
  }
}

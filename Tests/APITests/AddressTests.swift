import CivilTime
import Reminders
import Testing

@testable import API
@testable import Engine

/// Texts in URLs and answers: percent-encoding, UTC offsets and page cursors.
@Suite struct AddressTests {
  @Test(arguments: [
    ("abc", "abc"), ("%41%62", "Ab"), ("%e2%82%AC", "€"), ("a%20b%2f", "a b/"), ("%00", "\u{0}"),
    ("%", nil), ("%4", nil), ("%4g", nil), ("%%41", nil), ("%ff", nil), ("%c3", nil), ("é", "é"),
  ])
  func `percent-encoding is decoded strictly`(text: String, decoded: String?) {
    #expect(PercentEncoding.decoded(text[...]) == decoded)
  }

  @Test(arguments: [
    (0, "+00:00"), (-18_000, "-05:00"), (20_700, "+05:45"), (50_400, "+14:00"),
    (-1_521, "-00:25:21"), (561, "+00:09:21"),
  ])
  func `UTC offsets are written with minutes, and seconds if needed`(seconds: Int, text: String) {
    #expect(UTCOffset(seconds: seconds).description == text)
  }

  @Test(arguments: ["a", "daily checkin", "é", "1 2 3"])
  func `a page cursor survives encoding as text`(reminder: String) throws {
    let entry = Agenda.Entry(
      reminder: reminder, category: "", channels: [], title: "", body: "",
      planned: Fixtures.now, at: Fixtures.now - .days(99_999), outcome: .dropped, reasons: [])
    let cursor = PageCursor(entry)
    #expect(PageCursor(cursor.text) == cursor)
    // Only lowercase hexadecimal digits, so that a URL may contain the text as it is.
    #expect(
      cursor.text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
  }

  @Test(arguments: ["", "7", "zz", "31", "312032", "3120322", "612032203320", "ff203220ff"])
  func `a malformed page cursor is not decoded`(text: String) {
    #expect(PageCursor(text) == nil)
  }
}

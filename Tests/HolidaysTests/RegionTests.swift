import CivilTime
import Holidays
import Testing

@Suite struct RegionTests {
  private static let country = Samples.file(
    Samples.calendar(lines: [
      "NAME:Atlantis", "X-CHIMED-ALIASES:ATL,Lost Island", "X-CHIMED-YEARS:2024-2027",
      "X-CHIMED-REGIONS:QA,QA-N,qa-s1", "X-CHIMED-WEEKEND:FR,SA",
      "BEGIN:VEVENT", "DTSTART:20260101", "SUMMARY:New Year", "END:VEVENT",
      "BEGIN:VEVENT", "DTSTART:20260202", "SUMMARY:Day of the North", "X-CHIMED-REGIONS:QA-N",
      "END:VEVENT",
    ]), path: "/somewhere/QA.ics")

  private func dates(_ database: HolidayDatabase, _ region: String) throws -> [String] {
    try database.calendar(of: region).dates.map(\.description)
  }

  @Test func `a file contains a country and its subdivisions`() throws {
    let database = try HolidayDatabase(files: [Self.country])
    #expect(database.regions == ["QA", "QA-N", "QA-S1"])
    #expect(try dates(database, "QA") == ["2026-01-01"])
    #expect(try dates(database, "QA-N") == ["2026-01-01", "2026-02-02"])
    #expect(try dates(database, "QA-S1") == ["2026-01-01"])
    let north = try database.calendar(of: "qa-n")
    #expect(north.region == "QA-N" && north.weekend == [.friday, .saturday])
    #expect(database.everywhere.dates.isEmpty)
  }

  @Test func `dates outside the covered years are unknown`() throws {
    let calendar = try HolidayDatabase(files: [Self.country]).calendar(of: "QA")
    #expect(calendar.coveredYears == 2024...2027)
    #expect(try calendar.isKnown(Samples.date("2024-01-01")))
    #expect(try calendar.isKnown(Samples.date("2027-12-31")))
    #expect(try !calendar.isKnown(Samples.date("2023-12-31")))
    #expect(try !calendar.isKnown(Samples.date("2028-01-01")))
    let extraFile = Samples.file(Samples.calendar(event: "DTSTART:20300501"))
    let withExtra = try HolidayDatabase(files: [Self.country], extra: [extraFile]).calendar(
      of: "QA")
    #expect(try withExtra.isKnown(Samples.date("2030-05-01")))
    #expect(try !withExtra.isKnown(Samples.date("2030-05-02")))
  }

  @Test func `a file without a region property has the region of its name`() throws {
    let text = Samples.calendar(event: "DTSTART:20260501")
    for (path, region) in [("de.ics", "DE"), ("/a.b/DE-BY.ics", "DE-BY"), ("gb-eng.ics", "GB-ENG")]
    {
      let database = try HolidayDatabase(files: [Samples.file(text, path: path)])
      #expect(database.regions == [region])
      let calendar = try database.calendar(of: region)
      #expect(calendar.coveredYears == nil && calendar.weekend == [.saturday, .sunday])
    }
    for path in ["ours.ics", "D.ics", "DE-.ics", "DE-ABCD.ics", "DE-B-Y.ics", "/de/.ics", "D1.ics"]
    {
      let error = #expect(throws: HolidayErrors.self) {
        try HolidayDatabase(files: [Samples.file(text, path: path)])
      }
      #expect(error?.description.hasPrefix("\(path): names no region: name the file") == true)
    }
  }

  @Test func `the operator's holidays are added to every region`() throws {
    let company = Samples.file(
      Samples.calendar(lines: [
        "BEGIN:VEVENT", "DTSTART:20261224", "SUMMARY:Company's day", "RRULE:FREQ=YEARLY;COUNT=2",
        "END:VEVENT",
        "BEGIN:VEVENT", "DTSTART:20260101", "SUMMARY:Founders' Day", "END:VEVENT",
        "BEGIN:VEVENT", "DTSTART:20260601", "X-CHIMED-REGIONS:QA-N", "END:VEVENT",
      ]), path: "ours.ics")
    let south = Samples.file(
      Samples.calendar(lines: [
        "X-CHIMED-REGIONS:QA-S1", "BEGIN:VEVENT", "DTSTART:20260701", "END:VEVENT",
      ]), path: "south.ics")
    let database = try HolidayDatabase(files: [Self.country], extra: [company, south])
    #expect(database.regions == ["QA", "QA-N", "QA-S1"])
    let everywhere = ["2026-01-01", "2026-12-24", "2027-12-24"]
    #expect(try dates(database, "QA") == everywhere)
    #expect(try Set(dates(database, "QA-N")) == Set(everywhere + ["2026-02-02", "2026-06-01"]))
    #expect(try Set(dates(database, "QA-S1")) == Set(everywhere + ["2026-07-01"]))
    #expect(database.everywhere.dates.map(\.description) == everywhere)
    #expect(database.everywhere.region == nil && database.everywhere.coveredYears == nil)
    let calendar = try database.calendar(of: "QA")
    #expect(try calendar.name(of: Samples.date("2026-01-01")) == "Founders' Day; New Year")
    #expect(try calendar.name(of: Samples.date("2026-12-24")) == "Company's day")
    #expect(try calendar.name(of: Samples.date("2026-12-25")) == nil)
    #expect(try !calendar.contains(Samples.date("2026-12-25")))
  }

  @Test func `a calendar is created from names and dates`() throws {
    let first = try Samples.date("2026-05-01")
    let calendar = HolidayCalendar(
      region: "QA", coveredYears: nil, holidays: [("B", [first + 2, first]), ("A", [first])])
    #expect(calendar.dates == [first, first + 2])
    #expect(calendar.name(of: first) == "A; B" && calendar.name(of: first + 2) == "B")
    #expect(!calendar.contains(first + 1) && !calendar.contains(first - 1))
    #expect(!calendar.contains(first + 3) && calendar.contains(first + 2))
  }

  @Test(arguments: [
    ("X-CHIMED-YEARS:2024", "3: X-CHIMED-YEARS must be years from 2000 to 2100"),
    ("X-CHIMED-YEARS:2030-2024", "3: X-CHIMED-YEARS must be"),
    ("X-CHIMED-YEARS:1990-2024", "3: X-CHIMED-YEARS must be"),
    ("X-CHIMED-WEEKEND:SA,SO", #"3: X-CHIMED-WEEKEND lists days such as SA,SU; "SO" is not a day"#),
    ("X-CHIMED-WEEKEND:", #"3: X-CHIMED-WEEKEND lists days such as SA,SU; "" is not a day"#),
    ("X-CHIMED-REGIONS:DE,Bavaria", #"3: X-CHIMED-REGIONS lists codes such as DE or DE-BY; "Bav"#),
    ("X-CHIMED-WEEKENDS:SA", "3: X-CHIMED-WEEKENDS has no meaning here"),
    ("X-CHIMED-REGIONS:XX\r\nX-CHIMED-REGIONS:XY", "4: X-CHIMED-REGIONS is given twice"),
    ("X-CHIMED-REGIONS:XX,XX", "3: X-CHIMED-REGIONS has XX twice"),
    (
      "BEGIN:VEVENT\r\nDTSTART:20260501\r\nX-CHIMED-REGIONS:XY\r\nEND:VEVENT",
      "3: XY is not a region of this file"
    ),
    (
      "BEGIN:VEVENT\r\nDTSTART:20260501\r\nX-CHIMED-YEARS:2024-2025\r\nEND:VEVENT",
      "5: X-CHIMED-YEARS has no meaning here"
    ),
    (
      "X-CHIMED-REGIONS:XX\r\nEND:VCALENDAR\r\nBEGIN:VCALENDAR",
      "0: has several calendars, which X-CHIMED-REGIONS does not allow"
    ),
  ])
  func `errors in chimed's own properties are rejected`(lines: String, message: String) {
    let complaints = Samples.complaints(Samples.calendar(lines: [lines]))
    #expect(complaints.count == 1, "\(complaints)")
    #expect(complaints.first?.hasPrefix(message) == true, "\(complaints)")
  }

  @Test func `a region belongs to one file`() {
    let overlappingFile = Samples.file(Samples.calendar(lines: []), path: "QA-N.ics")
    let error = #expect(throws: HolidayErrors.self) {
      try HolidayDatabase(files: [Self.country, overlappingFile])
    }
    let message =
      "QA-N.ics: QA-N is a region of /somewhere/QA.ics already; remove it from one of the files"
    #expect(error?.description == message)
  }

  @Test func `the operator's holidays may name only known regions`() {
    let text = Samples.calendar(event: "DTSTART:20260501", "X-CHIMED-REGIONS:QA,QX")
    let extraFile = Samples.file(text, path: "ours.ics")
    let error = #expect(throws: HolidayErrors.self) {
      try HolidayDatabase(files: [Self.country], extra: [extraFile])
    }
    let message = "ours.ics:3: QX is not a region whose holidays are known; correct or remove it"
    #expect(error?.description == message)
    // If the files of regions have errors, only those errors are reported.
    let malformedFile = Samples.file("oops", path: "QX.ics")
    let regionError = #expect(throws: HolidayErrors.self) {
      try HolidayDatabase(files: [Self.country, malformedFile], extra: [extraFile])
    }
    #expect(regionError?.diagnostics.allSatisfy { $0.file == "QX.ics" } == true)
  }

  @Test func `the refusal of an unknown region suggests similar regions`() {
    let refusal = UnknownRegionError(code: "UK\u{7}", nearest: ["GB", "UA"])
    #expect(
      refusal.description
        == #""UK\u{07}" is not a region whose holidays are known; did you mean "GB" or "UA"?"#)
  }
}

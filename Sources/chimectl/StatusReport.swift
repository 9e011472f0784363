import CivilTime
import JSON

/// The service at a glance, for people.
struct StatusReport {
  private let document: JSONValue
  private let now: Instant
  private let started: Instant

  /// - Parameter document: the service's answer.
  init(_ document: JSONValue) throws(Failure) {
    self.document = document
    now = try document.instant("now")
    started = try document.instant("started")
  }

  var text: String {
    get throws(Failure) {
      let uptime = UInt64(max(0, (now - started).milliseconds / 1_000))
      var table = Table()
      table.add(["running for", Countdown.length(uptime)])
      table.add(["recipients", Self.grouped(try document.number("recipients"))])
      table.add(["pending", Self.grouped(try document.number("pending"))])
      table.add(["next", try next])
      table.add(["catalogs", words(document["catalogs"])])
      let zones = try document.text("zoneDatabase")
      table.add(["time zones", "\(zones), default \(try document.text("defaultZone"))"])
      if let failure = document["storageFailure"]?.stringValue {
        let due = Self.grouped(try document.number("due"))
        table.add(["storage", "\(failure); \(due) due wait for it"])
      }
      return table.text + (try lanes)
    }
  }

  private var next: String {
    get throws(Failure) {
      guard let next = document["next"], !next.isNull else { return "nothing" }
      let count = try next.number("recipients")
      let at = try next.instant("at")
      let reminder = try next.text("reminder")
      let recipients = count == 1 ? "1 recipient" : "\(Self.grouped(count)) recipients"
      return "\(reminder) for \(recipients) \(Countdown.text(to: at, from: now)), at \(at)"
    }
  }

  private var lanes: String {
    get throws(Failure) {
      var table = Table(header: ["SINK", "WAITING", "RETRYING", "FAILURE"])
      for lane in document["lanes"]?.arrayValue ?? [] {
        table.add([
          try lane.text("sink"), Self.grouped(try lane.number("waiting")),
          Self.grouped(try lane.number("retrying")), lane["failure"]?.stringValue ?? "",
        ])
      }
      return "\n" + table.text
    }
  }

  private func words(_ list: JSONValue?) -> String {
    (list?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: ", ")
  }

  /// "1,234,567".
  static func grouped(_ number: Int64) -> String {
    var text = ""
    for (place, digit) in String(number.magnitude).reversed().enumerated() {
      if place > 0 && place.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + String(text.reversed())
  }
}

#if DEBUG
  import Reminders
  import Testing

  /// Rule H16: the work of reading a catalog is linear in its declarations. The test counts
  /// look-ups instead of time.
  @Suite struct CatalogCostTests {
    private static func work(declarations count: Int) throws -> Int {
      let events = (0..<count).map { "  e\($0): {k: identifier, at: instant}\n" }.joined()
      let categories = (0..<count).map {
        "  C\($0): {title: c, channels: {push: true}}\n"
      }.joined()
      let reminders = (0..<count).map { number in
        "  r\(number): {category: C\(number), group: g, expires: 1h, "
          + "on: {event: e\(number), delay: 1h}, unless: e\(count - 1 - number), "
          + "messages: [{title: t, body: b}]}\n"
      }.joined()
      let text =
        "catalog: big\nevents:\n\(events)categories:\n\(categories)groups:\n"
        + "  g: {enabled: true}\nreminders:\n\(reminders)"
      let meter = WorkMeter()
      try Work.$meter.withValue(meter) {
        _ = try Catalog(reading: [CatalogSource(file: "big", text: text)])
      }
      return meter.total
    }

    @Test func `H16: the work of reading a catalog is linear in its declarations`() throws {
      let (few, many) = (try Self.work(declarations: 100), try Self.work(declarations: 400))
      // Each reminder looks up its category and its two events.
      #expect(few >= 300)
      #expect(Double(many) <= 4.5 * Double(few), "\(few), \(many)")
    }
  }
#endif

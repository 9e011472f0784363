import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Serves estimated counts of the notifications of the next hours.
struct ForecastRoute: Sendable {
  let service: any ReminderService

  var route: Route { Route(.get, "/v1/forecast", .forecast, answer: .observer(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    let hours = try call.number("hours", default: 24)
    let minutes = try call.number("minutes", default: 15)
    let language = try call.language()
    let query = ForecastQuery(span: .hours(hours), part: .minutes(minutes))
    let forecast = try await service.result(of: query)
    return Response(
      ForecastPayload.self, ForecastPayload.Value(forecast, service.planner.catalog, in: language))
  }
}

struct ForecastPayload: Payload {
  struct Value {
    let forecast: Forecast
    let catalog: Catalog
    let language: LanguageTag?
    /// The parts with rounded counts. Totals are computed from these, so that they equal the sums
    /// of the shown counts.
    let parts: [ForecastPartPayload.Value]

    init(_ forecast: Forecast, _ catalog: Catalog, in language: LanguageTag?) {
      (self.forecast, self.catalog, self.language) = (forecast, catalog, language)
      parts = forecast.counts.enumerated().map { index, counts in
        ForecastPartPayload.Value(
          at: forecast.start + .milliseconds(Int(forecast.part.milliseconds) * index),
          counts: counts.mapValues { Int($0.rounded()) })
      }
    }

    /// The categories, those with the highest counts first.
    var categories: [ForecastCategoryPayload.Value] {
      var counts: [String: Int] = [:]
      for part in parts { counts.merge(part.counts, uniquingKeysWith: +) }
      return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { name, count in
        let title = catalog.titles.title(of: "categories.\(name)", in: language)?.title
        return ForecastCategoryPayload.Value(name: name, title: title ?? name, count: count)
      }
    }
  }

  static let shape = PayloadShape(Self())

  let now = Member("now", .instant) { $0.forecast.now }
  let minutes = Member("minutes", .count) { Int($0.forecast.part.milliseconds / 60_000) }
  let people = Member("people", .count) { $0.forecast.people }
  let asked = Member("asked", .count) { $0.forecast.simulatedCount }
  let exact = Member("exact", .boolean) { $0.forecast.isExact }
  let categories = Member(
    "categories", .list(.payload(ForecastCategoryPayload.self)),
    "Counts over the whole time, the highest first"
  ) { $0.categories }
  let parts = Member("parts", .list(.payload(ForecastPartPayload.self))) { $0.parts }
}

struct ForecastCategoryPayload: Payload {
  struct Value {
    let name: String
    let title: String
    let count: Int
  }

  static let shape = PayloadShape(Self())

  let category = Member("category", .text) { $0.name }
  let title = Member("title", .text, "In the requested language or the catalog's own") { $0.title }
  let count = Member("count", .count) { $0.count }
}

struct ForecastPartPayload: Payload {
  struct Value {
    /// When the part begins.
    let at: Instant
    /// The expected notifications by category.
    let counts: [String: Int]
  }

  static let shape = PayloadShape(Self())

  let at = Member("at", .instant, "When the part begins; the first part may have begun already") {
    $0.at
  }
  let count = Member("count", .count) { $0.counts.values.reduce(0, +) }
  let categories = Member("categories", .table(of: .count), "The counts by category") {
    $0.counts.sorted { $0.key < $1.key }
  }
}

extension Operation {
  static let forecast = Operation(
    identifier: "forecast", summary: "Expected notifications of the next hours",
    details: """
      The forecast assumes that no events arrive. For many recipients it is extrapolated from an \
      even sample: people is the number of recipients, asked the size of the sample, and exact is \
      true if all were included. Parts are aligned with the clock (UTC): those of 15 minutes with \
      the quarters of an hour. The first part has already begun and counts only its remainder.
      """,
    parameters: [
      .query("hours", .integer(1...48), "How many hours; default: 24"),
      .query("minutes", .integer(5...1_440), "Minutes per part; default: 15"),
      .query("language", .text, "The language of titles, such as de; default: the catalog's"),
    ],
    answers: [
      Answer("The parts, in order", .of(ForecastPayload.self))
    ])
}

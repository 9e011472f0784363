import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// How much is going to go out in the next hours, in numbers.
struct ForecastRoute: Sendable {
  let service: any ReminderService

  var route: Route { Route(.get, "/v1/forecast", .forecast, answer: .observer(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    let hours = try call.number("hours", usually: 24)
    let minutes = try call.number("minutes", usually: 15)
    let language = try call.language()
    let question = ForecastQuestion(span: .hours(hours), part: .minutes(minutes))
    do {
      let forecast = try await service.forecast(question)
      return Response(
        ForecastPayload.self,
        ForecastPayload.Value(forecast, service.planner.catalog, in: language))
    } catch {
      throw Problem(error)
    }
  }
}

struct ForecastPayload: Payload {
  struct Value {
    let forecast: Forecast
    let catalog: Catalog
    let language: LanguageTag?
    /// As they are shown: what they add up to is that of the numbers beside it.
    let parts: [ForecastPartPayload.Value]

    init(_ forecast: Forecast, _ catalog: Catalog, in language: LanguageTag?) {
      (self.forecast, self.catalog, self.language) = (forecast, catalog, language)
      parts = forecast.counts.enumerated().map { index, counts in
        ForecastPartPayload.Value(
          at: forecast.start + .milliseconds(Int(forecast.part.milliseconds) * index),
          counts: counts.mapValues { Int($0.rounded()) })
      }
    }

    /// The most of it first.
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
  let asked = Member("asked", .count) { $0.forecast.asked }
  let exact = Member("exact", .boolean) { $0.forecast.isExact }
  let categories = Member(
    "categories", .list(.payload(ForecastCategoryPayload.self)),
    "What goes out in all of that time, the most first"
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
  let title = Member("title", .text, "In the language, or as its catalog calls it") { $0.title }
  let count = Member("count", .count) { $0.count }
}

struct ForecastPartPayload: Payload {
  struct Value {
    let at: Instant
    let counts: [String: Int]
  }

  static let shape = PayloadShape(Self())

  let at = Member("at", .instant, "When it begins; the first may have begun") { $0.at }
  let count = Member("count", .count) { $0.counts.values.reduce(0, +) }
  let categories = Member("categories", .table(of: .count), "How many by category") {
    $0.counts.sorted { $0.key < $1.key }
  }
}

extension Operation {
  static let forecast = Operation(
    identifier: "forecast", summary: "How much is going to go out in the next hours",
    details: """
      As it would be if nothing else were reported. Of many people a sample is looked at, evenly \
      spread, and stands for all: people and asked say how many, exact whether it was everybody. \
      The parts begin with the clock (UTC), those of 15 minutes at the quarters of an hour. So the \
      first has begun already, and holds what of it is left.
      """,
    parameters: [
      .query("hours", .integer(1...48), "How many hours; 24 unless given"),
      .query("minutes", .integer(5...1_440), "How long a part is; 15 unless given"),
      .query("language", .text, "That of the titles, such as de; the catalog's unless given"),
    ],
    answers: [
      Answer("The parts, in order", .of(ForecastPayload.self))
    ])
}

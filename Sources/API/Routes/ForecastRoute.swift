import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON

/// How much is going to go out in the next hours, in numbers.
struct ForecastRoute: Sendable {
  let service: any ReminderService

  var route: Route { Route(.get, "/v1/forecast", .forecast, answer: .observer(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    let hours = try call.number("hours", usually: 24)
    let minutes = try call.number("minutes", usually: 15)
    let question = ForecastQuestion(span: .hours(hours), part: .minutes(minutes))
    do {
      let forecast = try await service.forecast(question)
      return Response(ForecastPayload.self, forecast)
    } catch {
      throw Problem(error)
    }
  }
}

struct ForecastPayload: Payload {
  typealias Value = Forecast
  static let shape = PayloadShape(Self())

  let now = Member("now", .instant) { $0.now }
  let minutes = Member("minutes", .count) { Int($0.part.milliseconds / 60_000) }
  let people = Member("people", .count) { $0.people }
  let asked = Member("asked", .count) { $0.asked }
  let exact = Member("exact", .boolean) { $0.isExact }
  let parts = Member("parts", .list(.payload(ForecastPartPayload.self))) { forecast in
    forecast.counts.enumerated().map { index, counts in
      ForecastPartPayload.Value(
        at: forecast.now + .milliseconds(Int(forecast.part.milliseconds) * index),
        counts: counts.mapValues { Int($0.rounded()) })
    }
  }
}

struct ForecastPartPayload: Payload {
  struct Value {
    let at: Instant
    let counts: [String: Int]
  }

  static let shape = PayloadShape(Self())

  let at = Member("at", .instant) { $0.at }
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
      spread, and stands for all: people and asked say how many, exact whether it was everybody.
      """,
    parameters: [
      .query("hours", .integer(1...48), "How many hours; 24 unless given"),
      .query("minutes", .integer(5...1_440), "How long a part is; 15 unless given"),
    ],
    answers: [
      Answer("The parts, in order", .of(ForecastPayload.self))
    ])
}

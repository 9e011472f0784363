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
    let hours = try call.number("hours", 1...48, usually: 24)
    let minutes = try call.number("minutes", 5...1_440, usually: 15)
    let question = ForecastQuestion(span: .hours(hours), part: .minutes(minutes))
    do {
      let forecast = try await service.forecast(question)
      return Response(json: forecast.write)
    } catch {
      throw Problem(error)
    }
  }
}

extension Forecast {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("now", now.description)
    writer.member("minutes", part.milliseconds / 60_000)
    writer.member("people", people)
    writer.member("asked", asked)
    writer.member("exact", isExact)
    writer.key(constant: "parts")
    writer.beginArray()
    for (index, counts) in counts.enumerated() {
      writer.beginObject()
      writer.member("at", (now + .milliseconds(Int(part.milliseconds) * index)).description)
      let rounded = counts.mapValues { Int64($0.rounded()) }
      writer.member("count", rounded.values.reduce(0, +))
      writer.key(constant: "categories")
      writer.beginObject()
      for (category, count) in rounded.sorted(by: { $0.key < $1.key }) {
        writer.key(category)
        writer.value(count)
      }
      writer.endObject()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
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
      Answer(
        "The parts, in order",
        .object(
          .init("now", .instant), .init("minutes", .count), .init("people", .count),
          .init("asked", .count), .init("exact", .boolean), .init("parts", .list(part))))
    ])

  private static let part = Schema.object(
    .init("at", .instant), .init("count", .count),
    .init("categories", Schema.object.described("How many by category")))
}

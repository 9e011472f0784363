import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Logging
import NIOCore
import Outbox
import Reminders

/// Accepts the reports of delivery services about deliveries (rule D12).
///
/// The request's own signature or secret is the only credential. Every report becomes an event,
/// which is ingested like any other fact.
struct ReceiptRoute: Sendable {
  let intake: EventIntake
  let readers: CurrentServiceReaders
  let requests: ServiceRequestReader
  let refusals: RefusalCounts
  let counts: ReceiptCounts
  let now: @Sendable () -> Instant

  private static let path = "/v1/receipts/{sink}"

  var route: Route {
    Route(
      .post, Self.path, .receiveReceipts, answer: .everyone(receive), isOpenToOtherSites: true)
  }

  private func receive(_ call: Call) async throws -> Response {
    let sink = call.segments[0]
    guard let reader = readers.value.receipts[sink] else {
      throw Problem(
        .unknownSink, "no sink of this name has receipts; set the key receipts of the sink")
    }
    let content = try await content(of: call, by: reader, of: sink)
    if let address = content.confirmation { ask(for: address, of: sink, call) }
    let reports = content.reports
    let known = try await intake.service.result(
      of: ReportedDeliveriesQuery(of: sink, reports.map(\.delivery)))
    counts.count(.unknown, of: sink, reports.count { known[$0.delivery] == nil })
    try await submit(reports, known, of: sink)
    return Response(status: .noContent)
  }

  /// Asks the operator to confirm the subscription of a service.
  private func ask(for address: String, of sink: String, _ call: Call) {
    call.scope.logger.warning(
      "the service of the sink \(sink) asks to confirm its reports: open \(address.prefix(1_024))",
      metadata: ["chime_sink": "\(sink)"])
  }

  private func content(
    of call: Call, by reader: any ReceiptReader, of sink: String
  ) async throws(Problem) -> ReceiptContent {
    let request = try await requests.request(of: call)
    do {
      return try reader.content(of: request)
    } catch {
      counts.count(.refused, of: sink)
      throw requests.problem(error, call)
    }
  }

  /// Submits the reports of known deliveries as events. A state that was reported before changes
  /// nothing. If the service cannot accept an event now, the request fails, so that the delivery
  /// service sends it again.
  private func submit(
    _ reports: [ServiceReport], _ known: [String: ReportedDelivery], of sink: String
  ) async throws {
    let caller = Caller(
      scope: .administrator, name: "the service of the sink \(sink)", isLocal: false, bearer: nil)
    var group = EventGroup(
      planner: intake.service.planner, reporter: try EventReporter(caller, audit: nil), now: now(),
      refusals: refusals, mayBeForwarded: intake.forwarding != nil)
    for (position, report) in reports.enumerated() {
      guard let delivery = known[report.delivery] else { continue }
      group.add(report.event(of: delivery, by: sink), at: position)
    }
    let answers: [EventAnswer]
    do {
      answers = try await group.submit(to: intake)
    } catch {
      throw Problem(error)
    }
    for case .refused(let problem) in answers.map(\.result) where problem.isServiceFault {
      throw problem
    }
    // A conflicting event repeats an earlier state with another reason; the first report stays.
    let refused = answers.count {
      if case .refused(let problem) = $0.result { problem.kind != .conflictingEvent } else { false }
    }
    counts.count(.refused, of: sink, refused)
    counts.count(.accepted, of: sink, answers.count - refused)
  }
}

extension ServiceReport {
  /// The maximum length of a reason in code points. An event accepts 500 bytes.
  private static let reasonMax = 125

  /// Returns the event that reports the state of a delivery. The event's id is equal for equal
  /// states, so that repeated reports are one fact.
  fileprivate func event(of delivery: ReportedDelivery, by sink: String) -> JSONValue {
    var data: JSONObject = [
      "notification": .string(delivery.notification), "channel": .string(delivery.channel.name),
      "state": .string(state.rawValue), "sent": .string(delivery.sent.description),
    ]
    let words = reason.unicodeScalars.filter { $0.properties.generalCategory != .control }
    let reason = String(String.UnicodeScalarView(words.prefix(Self.reasonMax)))
    if !reason.isEmpty { data["reason"] = .string(reason) }
    return [
      "specversion": "1.0",
      "id": .string("\(delivery.notification)-\(delivery.channel.name)-\(state.rawValue)"),
      "source": .string("\(Event.ownSource)/sinks/\(sink)"), "type": "delivery.reported",
      "subject": .string(delivery.recipient), "data": .object(data),
    ]
  }
}

extension Operation {
  static let receiveReceipts = Operation(
    identifier: "receiveReceipts", summary: "Reports of a sink's service about deliveries",
    details: """
      Services call this address with the further states of deliveries. The key "receipts" of the \
      sink names the service, whose format the body has: JSON, or for Twilio a form. Reports of \
      unknown deliveries and repeated ones change nothing.
      """,
    parameters: [.query("delivery", .text, "The id of the delivery, for Twilio")],
    body: Body(Content(schema: .object, example: ["id": "k3x-17", "state": "received"])),
    answers: [Answer(status: .noContent, "The reports are on disk")],
    problems: [.unknownSink, .unauthenticated, .malformedText, .tooManyRequests])
}

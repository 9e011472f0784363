import CivilTime
import DeliverySamples
import JSON
import Outbox
import Reminders
import Testing

@testable import Sinks

/// Rule D17: no sink sends the words of a notification whose text is discreet.
@Suite struct DiscreetTextTests {
  private static let secretWord = "Metformin"
  private static let details = """
    {"actions":[{"id":"taken","title":"Metformin taken","url":"https://x.org/a/1"}],\
    "answerUrl":"https://x.org/a/0","deepLink":{"type":"Metformin"}}
    """

  /// Returns a delivery whose title, body, details and actions name a medicine.
  private static func delivery(
    _ number: Int64 = 7, _ channel: Channel = .push, hints: Hints = [],
    discreet: DiscreetText = DiscreetText(text: "It is time", channels: [.init(.push)])
  ) -> Delivery {
    var delivery = Fixtures.delivery(number, channel)
    delivery.hints = hints
    delivery.message = Message(
      reminder: "dose", category: "DOSE", title: "Metformin", body: "Take Metformin.",
      details: details, discreet: discreet)
    return delivery
  }

  @Test(arguments: SinkCase.all)
  func `D17: every sink sends the discreet text alone`(_ sinkCase: SinkCase) async throws {
    let trial = try await SinkTrial(sinkCase)
    let byCategory = Self.delivery(1)
    let byPreview = Self.delivery(
      2, hints: [.previewNever], discreet: DiscreetText(text: "It is time"))
    let byMail = Self.delivery(
      3, .email, discreet: DiscreetText(text: "It is time", channels: [.init(.email)]))
    let deliveries = [byCategory, byPreview, byMail]
    #expect(try await trial.deliver(deliveries).filter { !$0.isDelivered } == [])
    let arrivals = try await trial.peer.received()
    #expect(arrivals.count == deliveries.count)
    for arrival in arrivals {
      #expect(arrival.text.contains("It is time"), "\(arrival)")
      #expect(!arrival.text.contains(Self.secretWord), "\(arrival)")
    }
  }

  @Test(arguments: SinkCase.all)
  func `D17: other channels send title and body`(_ sinkCase: SinkCase) async throws {
    let trial = try await SinkTrial(sinkCase)
    let delivery = Self.delivery(1, .email)
    _ = try await trial.deliver([delivery])
    let arrival = try #require(try await trial.peer.received().first)
    #expect(arrival.text.contains(Self.secretWord) && !arrival.text.contains("It is time"))
  }

  /// Returns the documents that sinks send of a delivery, by the name of the format.
  private func documents(_ delivery: Delivery) throws -> [String: String] {
    let phone = PushStage.device("phone", "ios", token: "ab12")
    var line = JSONWriter()
    delivery.write(to: &line)
    var documents = ["line": line.bytes]
    documents["apns"] = try #require(APNsNotification(delivery, to: phone).payload(tone: nil))
    documents["webpush"] = WebPushMessage(delivery).payload
    for platform in ["android", "ios", "web"] {
      let message = FCMMessage(
        delivery, platform: platform, token: "t", presentation: FCMPresentation())
      documents["fcm \(platform)"] = message.bytes(now: Fixtures.noon)
    }
    documents["ntfy"] =
      NtfyMessage(delivery, topic: "t", priority: .normal, tags: [], click: nil).json
    var texts = documents.mapValues { String(decoding: $0, as: UTF8.self) }
    texts["http"] = "\(RequestValues(delivery, secrets: []).members(in: .plain))"
    return texts
  }

  @Test func `D17: no format contains a private word, not even in its actions`() throws {
    for (format, text) in try documents(Self.delivery()) {
      #expect(!text.contains(Self.secretWord), "\(format): \(text)")
      #expect(text.contains("It is time"), "\(format): \(text)")
    }
    // Without the discreet text, each format contains the word: the test would notice a leak.
    for (format, text) in try documents(Self.delivery(discreet: DiscreetText(text: "It is time"))) {
      #expect(text.contains(Self.secretWord), "\(format): \(text)")
    }
  }

  @Test func `D17: the names and links of actions remain`() throws {
    let shown = Self.delivery().shownMessage
    #expect(
      shown.actions == [OfferedAction(name: "taken", title: "", url: "https://x.org/a/1")])
    #expect(shown.buttons == [])
    #expect(try JSONParser.parse(shown.details)["answerUrl"] == "https://x.org/a/0")
  }

  @Test func `D17: a text to fetch leaves only the id and the discreet text`() throws {
    var delivery = Self.delivery(discreet: DiscreetText(text: "It is time"))
    delivery.isFetched = true
    let documents = try documents(delivery).filter { !["line", "ntfy", "http"].contains($0.key) }
    for (format, text) in documents {
      for word in [Self.secretWord, "dose", "DOSE", "taken"] {
        #expect(!text.contains(word), "\(format): \(text)")
      }
      #expect(text.contains("store-7") && text.contains("It is time"), "\(format): \(text)")
      #expect(text.contains(#""text":"fetch""#), "\(format): \(text)")
    }
    let apple = try JSONParser.parse(#require(documents["apns"]))
    #expect(apple["aps"]?["mutable-content"] == 1 && apple["aps"]?["category"] == nil)
    let android = try JSONParser.parse(#require(documents["fcm android"]))["message"]
    #expect(android?["notification"] == nil && android?["data"]?["title"] == "It is time")
  }

  @Test func `D17: a silent text to fetch is marked as silent in every format`() throws {
    var delivery = Self.delivery()
    (delivery.isFetched, delivery.isSilent) = (true, true)
    let documents = try documents(delivery)
    for platform in ["android", "web"] {
      let data = try JSONParser.parse(#require(documents["fcm \(platform)"]))["message"]?["data"]
      #expect(data?["silent"] == "true")
    }
    let apple = try JSONParser.parse(#require(documents["fcm ios"]))["message"]?["apns"]
    #expect(apple?["payload"]?["aps"]?["sound"] == nil)
    #expect(try JSONParser.parse(#require(documents["webpush"]))["silent"] == true)
  }

  @Test func `D17: the text beside an id to fetch is in the recipient's language`() {
    var delivery = Fixtures.delivery(1)
    delivery.isFetched = true
    #expect(delivery.title == "You have a new notification" && delivery.body == "")
    delivery.addressee = Addressee(zone: "UTC", locale: "de-AT")
    #expect(delivery.title == "Du hast eine neue Mitteilung")
  }
}

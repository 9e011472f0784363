package import CivilTime
package import Cryptography
internal import Foundation
internal import HTTPTypes
package import Outbox
package import Reminders

/// Sends each delivery as the HTTP request that the configuration defines.
package final class HTTPSink: OverlappingSink {
  package let name: String
  package let type = HTTPSinkConfiguration.type
  package let window = 64
  package let needsAddressee: Bool
  private let form: RequestForm
  /// The meaning of the service's replies.
  private let rules: AnswerRules
  /// The secrets, with the names that insert them into the form.
  private let secrets: [(name: String, value: Secret)]
  /// The user and the password, separated by a colon; nil without basic authentication.
  private let basicCredentials: Secret?
  /// The secrets that are removed from replies before the replies are stored.
  private let secretsToHide: [Secret]
  private let semaphore: AsyncSemaphore
  private let client: SafeHTTPClient
  private let now: @Sendable () -> Instant

  package init(
    name: String, form: RequestForm, rules: AnswerRules,
    secrets: [(name: String, value: Secret)], basic basicCredentials: Secret?, concurrency: Int,
    client: SafeHTTPClient, now: @escaping @Sendable () -> Instant
  ) {
    self.name = name
    self.form = form
    self.rules = rules
    self.secrets = secrets
    self.basicCredentials = basicCredentials
    secretsToHide = Self.secretsToHide(secrets.map(\.value), basicCredentials)
    semaphore = AsyncSemaphore(concurrency)
    self.client = client
    self.now = now
    needsAddressee = form.needsAddressee
  }

  package func deliver(
    _ deliveries: [Delivery], _ progress: BatchProgress
  ) async throws(SinkOutage) -> [SinkAnswer] {
    try await SendResult.sendAll(deliveries, in: semaphore, progress, on: client.executor) {
      await self.send($0)
    }
  }

  private func send(_ delivery: Delivery) async -> SendResult {
    let url: HTTPURL
    var request: HTTPRequest
    do throws(RequestForm.FormError) {
      (url, request) = try form.request(RequestValues(delivery, secrets: secrets))
    } catch {
      return .answered(.rejected(reason: "\(error.key) \(error.reason)"))
    }
    request.fields.carry(delivery.shownMessage.trace)
    if let basicCredentials {
      request.fields[.authorization] = "Basic \(Self.base64(basicCredentials))"
    }
    do throws(HTTPTransferError) {
      let reply = try await client.send(request, to: url)
      let answer = SinkAnswer(
        rules.verdict(reply, now: now()), response: reply.response(hiding: secretsToHide))
      return rules.result(
        reply, origin: "\(url)", answer: answer, mayConcernOneDelivery: form.dependsOnDelivery)
    } catch {
      switch error {
      case .unreachable(let reason): return .unreachable("\(url): \(reason)")
      case .unanswered(let reason):
        return .answered(.retry(after: nil, reason: "\(url): \(reason)"))
      }
    }
  }

  /// Returns the secrets to remove from replies. They include the password as a separate secret,
  /// because a service decodes the credentials and may repeat the password.
  private static func secretsToHide(_ secrets: [Secret], _ basicCredentials: Secret?) -> [Secret] {
    guard let basicCredentials else { return secrets }
    let password = basicCredentials.withBytes {
      Secret($0.drop { $0 != UInt8(ascii: ":") }.dropFirst())
    }
    return secrets + [basicCredentials, Secret(base64(basicCredentials)), password]
  }

  private static func base64(_ secret: Secret) -> String {
    secret.withBytes { Data($0).base64EncodedString() }
  }
}

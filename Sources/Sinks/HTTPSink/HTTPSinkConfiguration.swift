import Cryptography
internal import HTTPTypes
package import Outbox
package import Reminders
package import Systemd

/// `type: http`: each delivery is a request that the configuration defines, for services without
/// support for webhooks and CloudEvents.
package struct HTTPSinkConfiguration: SinkConfiguration {
  package static let type = "http"
  package static let keys: [KeyDescription] =
    [
      .required("url", .text, "The address of the request; {{NAME}} inserts a value."),
      .optional(
        "method", .word(["GET", "POST", "PUT", "PATCH"]), "The method; default: POST."),
      .optional("headers", .names(.text), "The fields of the request's head."),
      .optional("body", .text, "The body; {{NAME}} inserts a value."),
      .optional("secrets", .names(.secret), "Secrets by the names that insert them."),
      .optional("basic", .secret, "USER:PASSWORD for basic authentication."),
      .optional("delivered", statuses, "The statuses that mean delivered, such as [202, 500-599]."),
      .optional("retry", statuses, "The statuses that mean a retry."),
      .optional("rejected", statuses, "The statuses that mean a rejection."),
      .optional("contains", .text, "The text that a positive answer must contain."),
      .optional("retry-when", .oneOrMany(.text), "Texts in a rejection that mean a retry."),
    ] + HTTPSettings.keys
  private static let statuses = ValueShape.oneOrMany(.text)

  private let url: String
  private let method: HTTPRequest.Method
  private let headers: [Header]
  private let body: String
  private let secrets: [NamedSecret]
  /// The credential with USER:PASSWORD for basic authentication; nil without it.
  private let basic: String?
  private let rules: AnswerRules
  private let http: HTTPSettings

  private struct Header: Hashable {
    let name: String
    let value: String
  }

  private struct NamedSecret: Hashable {
    /// The name that inserts the secret into the request.
    let name: String
    /// The name of the credential that holds the secret.
    let credential: String
  }

  package init?(reading settings: inout SinkSettings) {
    url = settings.text("url") ?? ""
    method = Self.method(&settings)
    headers = settings.pairs("headers").map { Header(name: $0.name, value: $0.value) }
    body = settings.text("body") ?? ""
    secrets = settings.namedCredentials("secrets").map {
      NamedSecret(name: $0.name, credential: $0.credential)
    }
    basic = settings.credential("basic")
    rules = AnswerRules(reading: &settings)
    http = HTTPSettings(reading: &settings)
    guard checkNames(&settings) else { return nil }
    do throws(RequestForm.FormError) {
      _ = try form.request(RequestValues(RequestForm.sample, secrets: sampleSecrets))
    } catch {
      settings.refuse(error.key, error.reason)
      return nil
    }
  }

  private static func method(_ settings: inout SinkSettings) -> HTTPRequest.Method {
    guard let word = settings.text("method") else { return .post }
    let known = HTTPRequest.Method.allCases.filter { $0 != .delete }
    if let method = HTTPRequest.Method(rawValue: word), known.contains(method) { return method }
    let words = known.map(\.rawValue).joined(separator: ", ")
    settings.refuse("method", "must be one of \(words)")
    return .post
  }

  /// Refuses a secret that has the name of a delivery's value. Returns whether all names are
  /// permitted.
  private func checkNames(_ settings: inout SinkSettings) -> Bool {
    for secret in secrets where RequestValues.names.contains(secret.name) {
      settings.refuse("secrets", "has \"\(secret.name)\", which every delivery has; rename it")
      return false
    }
    return true
  }

  private var form: RequestForm {
    get throws(RequestForm.FormError) {
      try RequestForm(
        url: url, method: method, headers: headers.map { ($0.name, $0.value) }, body: body,
        secrets: secrets.map(\.name))
    }
  }

  /// The secrets with a made-up value, for checking the form.
  private var sampleSecrets: [(name: String, value: Secret)] {
    secrets.map { ($0.name, Secret("secret")) }
  }

  package var credentialNames: [String] { secrets.map(\.credential) + (basic.map { [$0] } ?? []) }
  package var files: [String] { http.authorities.map { [$0] } ?? [] }

  package func check(credentials: Credentials) throws {
    try http.check()
    for name in credentialNames { _ = try credentials.read(name) }
  }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) throws -> any Sink {
    let concurrency = common.concurrency ?? 8
    return HTTPSink(
      name: common.name, form: try form, rules: rules,
      secrets: try secrets.map { ($0.name, try surroundings.credentials.read($0.credential)) },
      basic: try basic.map { try surroundings.credentials.read($0) }, concurrency: concurrency,
      client: try SafeHTTPClient(http, deadline: common.deadline, concurrency: concurrency),
      now: surroundings.now)
  }
}

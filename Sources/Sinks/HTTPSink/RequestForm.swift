internal import CivilTime
internal import HTTPTypes
package import Reminders

/// A request with placeholders for a delivery's values.
package struct RequestForm: Sendable {
  /// A fault of a setting, or a value that a recipient lacks.
  package struct FormError: Error, Hashable {
    /// The key of the setting, or the name of the value.
    package let key: String
    /// The fault, as the rest of a sentence that begins with the key.
    package let reason: String
  }

  private let url: RequestTemplate
  private let method: HTTPRequest.Method
  private let headers: [(name: HTTPField.Name, value: RequestTemplate)]
  private let body: RequestTemplate
  /// How values are encoded in the body.
  private let encoding: RequestValues.Encoding
  /// Whether the path or a header depends on the recipient or the kind of notification. If so, a
  /// service that refuses one delivery may accept others.
  let dependsOnDelivery: Bool

  package init(
    url: String, method: HTTPRequest.Method, headers: [(name: String, value: String)],
    body: String, secrets: [String]
  ) throws(FormError) {
    try Self.checkHost(of: url)
    self.method = method
    self.url = try Self.template(url, "url", secrets)
    self.body = try Self.template(body, "body", secrets)
    var fields: [(name: HTTPField.Name, value: RequestTemplate)] = []
    for header in headers {
      guard let name = HTTPField.Name(header.name), !Self.clientHeaders.contains(name) else {
        throw FormError(
          key: "headers", reason: "has \"\(header.name)\", which chimed sets; remove it")
      }
      fields.append((name, try Self.template(header.value, "headers", secrets)))
    }
    self.headers = fields
    let type = headers.last { $0.name.lowercased() == "content-type" }?.value
    encoding = try Self.encoding(type ?? Self.typeDefault)
    let exposedNames = fields.map(\.value.names) + [RequestTemplate.namesBeforeQuery(in: url)]
    dependsOnDelivery = exposedNames.contains {
      !$0.isDisjoint(with: RequestValues.identifyingNames)
    }
  }

  /// The media type of a body without a header for it.
  static let typeDefault = "application/json"
  /// Headers that the client sets itself.
  private static let clientHeaders: [HTTPField.Name] = [
    .contentLength, .connection, .transferEncoding, HTTPField.Name("Host") ?? .te,
  ]

  /// Refuses placeholders before the path: the author of a title must not choose the host that
  /// receives it.
  private static func checkHost(of url: String) throws(FormError) {
    guard let colon = url.firstRange(of: "://") else {
      throw FormError(key: "url", reason: "must begin with https:// or http://")
    }
    let host = url[colon.upperBound...].prefix { !"/?".contains($0) }
    guard !url[..<colon.lowerBound].contains("{"), !host.contains("{") else {
      throw FormError(
        key: "url", reason: "has a placeholder before its path; the host must be constant")
    }
  }

  private static func template(
    _ text: String, _ key: String, _ secrets: [String]
  ) throws(FormError) -> RequestTemplate {
    do throws(RequestTemplate.ParsingError) {
      return try RequestTemplate(text, secrets: secrets)
    } catch {
      throw FormError(key: key, reason: error.description)
    }
  }

  /// Returns the encoding of values for the value of a Content-Type header.
  private static func encoding(_ type: String) throws(FormError) -> RequestValues.Encoding {
    let mediaType = type.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    if mediaType == "application/json" || mediaType.hasSuffix("+json") { return .json }
    if mediaType == "application/x-www-form-urlencoded" { return .url }
    let isMarkup = ["text/html", "text/xml", "application/xml"].contains(mediaType)
    if isMarkup || mediaType.hasSuffix("+xml") {
      return .markup
    }
    if mediaType == "text/plain" { return .plain }
    throw FormError(
      key: "headers",
      reason: "has the Content-Type \"\(type)\", for which values cannot be encoded; use "
        + "JSON, application/x-www-form-urlencoded, XML, HTML or text/plain")
  }

  private var templates: [RequestTemplate] { [url, body] + headers.map(\.value) }

  /// Whether the form uses a value of the recipient's profile, such as the name or the e-mail
  /// address.
  package var needsAddressee: Bool {
    templates.contains { !$0.names.isDisjoint(with: RequestValues.profileNames) }
  }

  /// Fills in the form.
  ///
  /// - Throws: the reason why the form cannot be filled in for this delivery.
  package func request(
    _ values: RequestValues
  ) throws(FormError) -> (url: HTTPURL, request: HTTPRequest) {
    for template in templates {
      let requiredNames = template.shownNames.subtracting(template.sectionNames)
      if let name = values.firstMissing(of: requiredNames) {
        throw FormError(key: name, reason: "is not known for this recipient")
      }
    }
    guard !values.hasPathStep(url.names) else {
      throw FormError(key: "url", reason: "cannot have \".\" or \"..\" for a value")
    }
    var fields: HTTPFields = [.userAgent: "chimed"]
    if method != .get { fields[.contentType] = Self.typeDefault }
    let headerValues = values.members(in: .header)
    for header in headers { fields[header.name] = header.value.render(headerValues) }
    let urlText = url.render(values.members(in: .url))
    let bodyText = body.render(values.members(in: encoding))
    do throws(HTTPURL.ParsingError) {
      return (
        try HTTPURL(urlText, method: method),
        HTTPRequest(fields: fields, body: method == .get ? [] : Array(bodyText.utf8))
      )
    } catch {
      throw FormError(key: "url", reason: error.description)
    }
  }

  /// A sample delivery, for checking a form.
  package static let sample: Delivery = {
    let instant = Instant(milliseconds: 0)
    var delivery = Delivery(
      instance: "sample", notification: 1, row: 1, recipient: "u1", channel: .push,
      isSilent: false, planned: instant, at: instant, expiry: instant,
      message: Message(reminder: "sample", category: "SAMPLE", title: "Title", body: "Body"))
    delivery.addressee = Addressee(
      zone: "UTC", locale: "en", displayName: "Name", email: "name@example.org",
      phone: "+15550100")
    return delivery
  }()
}

import Foundation
package import Outbox
package import Reminders
package import Systemd

/// `type: smtp`: deliveries are e-mails.
package struct SMTPConfiguration: SinkConfiguration {
  package static let type = "smtp"
  package static let keys: [KeyDescription] = [
    .required("url", .text, "The mail server."),
    .optional("tls", .word(["required", "none"]), "Whether TLS is required; default: required."),
    .optional("user", .text, "The user at the server."),
    .optional("password", .secret, "The password at the server."),
    .required("from", .text, "The sender's address."),
    .optional("reply-to", .text, "The address for replies."),
    .optional("ca", .text, "A PEM file of trusted authorities."),
    .optional("templates", .text, "The directory of templates of e-mails."),
    .optional("ehlo", .text, "The name or address that the sink gives in EHLO."),
  ]
  package static let requirement: Requirement? = .email

  let server: MailServer
  /// The credential or file that holds the password; nil without a password.
  let password: String?
  let from: Mailbox
  let replyTo: Mailbox?
  /// The directory of templates; nil for the built-in ones.
  let templates: String?
  /// The EHLO name; nil for the default.
  let hello: String?

  package init?(reading settings: inout SinkSettings) {
    let mailboxes = Self.mailboxes(&settings)
    templates = settings.text("templates")
    password = settings.credential("password")
    hello = Self.hello(&settings)
    guard let server = Self.server(&settings), let mailboxes else { return nil }
    self.server = server
    (from, replyTo) = mailboxes
  }

  private static func mailboxes(_ settings: inout SinkSettings) -> (Mailbox, Mailbox?)? {
    let from = mailbox("from", &settings)
    let replyTo = mailbox("reply-to", &settings)
    guard let from, replyTo != nil || !settings.has("reply-to") else { return nil }
    return (from, replyTo)
  }

  private static func mailbox(_ key: String, _ settings: inout SinkSettings) -> Mailbox? {
    guard let text = settings.text(key) else { return nil }
    if let mailbox = Mailbox(text) { return mailbox }
    settings.refuse(key, "must be an address such as Reminders <no-reply@example.org>")
    return nil
  }

  private static func hello(_ settings: inout SinkSettings) -> String? {
    guard let name = settings.text("ehlo") else { return nil }
    if isQualified(name) || isAddress(name) { return name }
    settings.refuse(
      "ehlo",
      "must be a full name of this machine such as mx.example.org, or its address in brackets")
    return nil
  }

  /// Whether the name is a valid host name with a dot, as mail servers require.
  private static func isQualified(_ name: String) -> Bool {
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    return labels.count > 1 && name.utf8.count <= 253
      && labels.allSatisfy { label in
        (1...63).contains(label.utf8.count)
          && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      }
  }

  /// Whether the name is an address literal: "[192.0.2.7]", "[IPv6:2001:db8::1]" (RFC 5321,
  /// section 4.1.3).
  private static func isAddress(_ name: String) -> Bool {
    guard name.first == "[", name.last == "]" else { return false }
    let inside = String(name.dropFirst().dropLast())
    let tag = "IPv6:"
    if inside.hasPrefix(tag) {
      return NetworkAddress(String(inside.dropFirst(tag.count)))?.version == .six
    }
    return NetworkAddress(inside)?.version == .four
  }

  /// The default EHLO name: the machine's name if it contains a dot, otherwise the domain of
  /// `from`.
  private var helloDefault: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return from.address.domain }
    let name = bytes.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return Self.isQualified(name) ? name : from.address.domain
  }

  private static func server(_ settings: inout SinkSettings) -> MailServer? {
    let user = settings.text("user")
    if (user != nil) != settings.has("password") {
      settings.refuse(
        user == nil ? "password" : "user", "cannot be set alone; set both user and password")
    }
    guard let url = url(&settings) else { return nil }
    let tls = settings.text("tls") ?? "required"
    if !["required", "none"].contains(tls) { settings.refuse("tls", "must be required or none") }
    if tls == "none" && url.hasPrefix("smtps:") {
      settings.refuse("tls", "cannot be none where the url begins with smtps")
    }
    if tls == "none" && user != nil {
      settings.refuse("tls", "cannot be none with a password, which anyone could then read")
    }
    return MailServer(
      url: url, requiresTLS: tls != "none", user: user, authorities: settings.text("ca"))
  }

  private static func url(_ settings: inout SinkSettings) -> String? {
    guard let text = settings.text("url") else { return nil }
    guard let url = URLComponents(string: text), url.scheme == "smtp" || url.scheme == "smtps",
      let host = url.host, !host.isEmpty, url.user == nil, url.password == nil,
      url.path.isEmpty || url.path == "/", url.query == nil, url.fragment == nil,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      settings.refuse("url", "must be smtp://HOST, smtp://HOST:PORT or smtps://HOST")
      return nil
    }
    // The ports of mail submission (RFC 6409, RFC 8314), because libcurl has other defaults.
    let port = url.port ?? (url.scheme == "smtp" ? 587 : 465)
    return "\(url.scheme ?? "smtp")://\(host):\(port)"
  }

  package var credentialNames: [String] { password.map { [$0] } ?? [] }
  package var files: [String] { [server.authorities, templates].compactMap { $0 } }

  package func check(credentials: Credentials) throws {
    try checkAuthorities()
    if let templates { _ = try MailTemplateDirectory(path: templates).read() }
    if let password { _ = try credentials.read(password) }
  }

  private func checkAuthorities() throws(SinkOutage) {
    if let path = server.authorities { _ = try PEMCertificates.read(path) }
  }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) throws -> any Sink {
    try checkAuthorities()
    let links = surroundings.publicURL.map {
      UnsubscribeLinks(base: $0, token: surroundings.unsubscribeToken)
    }
    let composer = MailComposer(
      from: from, replyTo: replyTo,
      templates: try templates.map { try MailTemplateDirectory(path: $0).read() }
        ?? MailTemplates.builtIn(),
      unsubscribe: links)
    return try SMTPSink(
      common, server: server, hello: hello ?? helloDefault,
      password: try password.map { try surroundings.credentials.read($0) },
      composer: composer)
  }
}

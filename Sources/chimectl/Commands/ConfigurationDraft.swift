import CivilTime
import Glibc
import Reminders

/// An initial configuration, made from the answers to five questions.
struct ConfigurationDraft {
  /// The path of the file to write.
  let file: String
  /// The names or paths of the catalogs.
  let catalogs: [String]
  /// The zone of recipients whose own zone is unknown.
  private let zone: String
  private let sink: Sink
  /// The TCP address for apps; nil for none.
  private let listen: String?

  private enum Sink: Equatable {
    case journal
    case file(String)
    case webhook(String)
  }

  /// - Parameters:
  ///   - ask: asks the user a question and returns the answer; an error ends the questions.
  ///   - zones: the tz database, for the valid names of zones.
  ///   - directories: the directories whose catalogs can be given by name.
  ///   - zone: the zone that an empty answer means.
  init(
    asking ask: (String) throws(CommandError) -> String, zones: ZoneDatabase,
    directories: [String] = Self.defaultDirectories, zone: String = Self.systemZone
  ) throws(CommandError) {
    let knownCatalogs = Self.catalogs(in: directories)
    catalogs = try Self.answer(
      "1. Which catalogs of reminders? Any of \(knownCatalogs.joined(separator: ", ")), "
        + "separated by commas; or none [none]", ask
    ) { text in
      let names = text.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
      if names.isEmpty || names == ["none"] { return .success([]) }
      let unknownName = names.first { !knownCatalogs.contains($0) && !$0.contains("/") }
      guard let unknown = unknownName else { return .success(names) }
      let suggestion = nearest(unknown, among: knownCatalogs).map { "; did you mean \($0)?" } ?? ""
      return .failure(AnswerError("there is no catalog \"\(unknown)\"\(suggestion)"))
    }
    self.zone = try Self.answer("2. Which time zone if a recipient's is unknown? [\(zone)]", ask) {
      let name = $0.isEmpty ? zone : $0
      if (try? zones.zone(named: name)) != nil { return .success(name) }
      return .failure(AnswerError("there is no zone \"\(name)\"; an example is Europe/Berlin"))
    }
    sink = try Self.answer(
      "3. Where should deliveries go? A URL for webhooks, a file for lines of JSON, or journal "
        + "[journal]", ask, Self.sink)
    listen = try Self.answer(
      "4. Which loopback port for apps, in addition to the socket? 7411, or none "
        + "[none]", ask
    ) {
      if $0.isEmpty || $0 == "none" { return .success(nil) }
      if let port = UInt16($0), port > 0 { return .success("127.0.0.1:\(port)") }
      return .failure(AnswerError("a port is a number from 1 to 65535"))
    }
    file = try Self.answer("5. Which file should be written? [chimed.yaml]", ask) {
      let path = $0.isEmpty ? "chimed.yaml" : $0
      guard access(path, F_OK) != 0 else { return .failure(AnswerError("\(path) exists already")) }
      return .success(path)
    }
  }

  // MARK: - The file's text

  /// The text of the configuration file.
  var text: String {
    """
    # yaml-language-server: $schema=/usr/share/chimed/schemas/configuration.json
    #
    # The configuration of the service; see chimed.yaml(5). Check it with
    # `chimed --check-config --config FILE`.

    # The reminders; see chimed-catalog(5).
    \(catalogs.isEmpty ? "# catalogs: [imanpath]" : "catalogs: [\(quoted(catalogs))]")

    # The time zone of recipients whose own zone is unknown.
    default-zone: \(zone)

    # The destinations of deliveries.
    sinks:
      \(sinkText)

    """ + (listen.map(Self.listenText) ?? "")
  }

  private static func listenText(for address: String) -> String {
    "\n# The address for apps, with tokens from `chimectl token create`.\nlisten: \(address)\n"
  }

  /// Describes the next steps for the user.
  var advice: String {
    var text = "\(file) is valid.\n"
    if case .webhook = sink {
      text +=
        "Signatures need a secret, which systemd passes to the service. Add to [Service] with\n"
        + "\"systemctl edit chimed\": LoadCredential=webhook-secret:/etc/credstore/webhook-secret\n"
    }
    return text + "Start the service: chimed serve --config \(file)\n"
      + "or, installed as /etc/chimed/chimed.yaml: systemctl reload chimed\n"
  }

  private var sinkText: String {
    switch sink {
    case .journal: "journal: {type: journal}"
    case .file(let path): "file: {type: jsonl, file: \(quoted([path]))}"
    case .webhook(let url):
      "webhook: {type: webhook, url: \(quoted([url])), secret: {credential: webhook-secret}"
        + Self.allowSetting(for: url) + "}"
    }
  }

  /// Returns the setting that permits deliveries to this machine, which are refused by default;
  /// empty for other hosts.
  private static func allowSetting(for url: String) -> String {
    let host = url.drop { $0 != "/" }.drop { $0 == "/" }.prefix { !"/?#".contains($0) }
    let name = host.prefix { $0 != (host.hasPrefix("[") ? "]" : ":") }.lowercased()
    if name == "localhost" { return ", allow: [127.0.0.0/8, \"::1/128\"]" }
    if name == "[::1" { return ", allow: \"::1/128\"" }
    let isAddress = name.allSatisfy { "0123456789.".contains($0) }
    return isAddress && name.hasPrefix("127.") ? ", allow: 127.0.0.0/8" : ""
  }

  /// Quotes the texts as YAML requires.
  private func quoted(_ texts: [String]) -> String {
    texts.map { text in
      let isPlain = text.utf8.allSatisfy { byte in
        Character(Unicode.Scalar(byte)).isLetter || (0x30...0x39).contains(byte)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
      let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      return isPlain ? text : "\"\(escaped)\""
    }.joined(separator: ", ")
  }

  // MARK: - Answers

  private struct AnswerError: Error {
    let text: String

    init(_ text: String) { self.text = text }
  }

  /// Repeats the question until the answer is valid.
  private static func answer<Value>(
    _ question: String, _ ask: (String) throws(CommandError) -> String,
    _ parse: (String) -> Result<Value, AnswerError>
  ) throws(CommandError) -> Value {
    var question = question
    while true {
      switch parse(try ask(question)) {
      case .success(let value): return value
      case .failure(let error): question = "   \(error.text):"
      }
    }
  }

  private static func sink(_ answer: String) -> Result<Sink, AnswerError> {
    if answer.isEmpty || answer == "journal" { return .success(.journal) }
    if answer.hasPrefix("https://") || answer.hasPrefix("http://") {
      return .success(.webhook(answer))
    }
    if answer.hasPrefix("/") { return .success(.file(answer)) }
    return .failure(
      AnswerError("give a URL that begins with https://, a file that begins with /, or journal"))
  }

  // MARK: - Defaults

  static var defaultDirectories: [String] {
    let paths = getenv("CHIMED_CATALOGS").map { String(cString: $0).split(separator: ":") } ?? []
    return paths.map(String.init) + ["/etc/chimed/catalogs", "/usr/share/chimed/catalogs"]
  }

  private static func catalogs(in directories: [String]) -> [String] {
    var names: Set<String> = []
    for path in directories {
      guard let directory = opendir(path) else { continue }
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) }
        if name.hasSuffix(".yaml") { names.insert(String(name.dropLast(5))) }
      }
    }
    return names.sorted()
  }

  /// The zone of /etc/localtime; UTC if that is not a zone.
  static var systemZone: String {
    guard let path = realpath("/etc/localtime", nil) else { return "UTC" }
    defer { free(path) }
    let parts = String(cString: path).split(separator: "zoneinfo/")
    return parts.count == 2 ? String(parts[1]) : "UTC"
  }
}

import JSON

/// An action as a notification's details contain it: with a title in the recipient's language, and
/// with its link.
package struct OfferedAction: Hashable, Sendable {
  package let name: String
  /// The text of the button; empty in a notification with a discreet text.
  package let title: String
  /// The address that performs the action; nil if the service has no public address.
  package let url: String?

  /// The member of the details that lists the actions.
  fileprivate static let member = "actions"
  /// The member of the details with the link to a page that offers all actions.
  fileprivate static let pageMember = "answerUrl"

  package init(name: String, title: String, url: String? = nil) {
    (self.name, self.title, self.url) = (name, title, url)
  }

  fileprivate init?(_ value: JSONValue) {
    guard let name = value["id"]?.stringValue else { return nil }
    self.init(name: name, title: value["title"]?.stringValue ?? "", url: value["url"]?.stringValue)
  }

  fileprivate var json: JSONValue {
    var object: JSONObject = ["id": .string(name)]
    if !title.isEmpty { object["title"] = .string(title) }
    if let url { object["url"] = .string(url) }
    return .object(object)
  }
}

extension Reminder {
  /// Returns the details for the app's client, with the reminder's actions. The titles of the
  /// actions are in a recipient's language.
  ///
  /// - Parameter details: a JSON object, or an empty text.
  func offering(_ details: String, in locale: String?) -> String {
    guard !actions.isEmpty else { return details }
    return details.replacingActions(
      actions.map { OfferedAction(name: $0.name, title: $0.titles.title(in: locale)) })
  }
}

extension Message {
  /// The actions that the notification offers.
  package var actions: [OfferedAction] {
    (details.detailsObject?[OfferedAction.member]?.arrayValue ?? []).compactMap {
      OfferedAction($0)
    }
  }

  /// The actions for which buttons can be shown. Actions without a title have none.
  package var buttons: [OfferedAction] { actions.filter { !$0.title.isEmpty } }

  /// Returns the message with a link for each action, and a link to a page that offers all actions.
  /// A message without actions stays as it is.
  ///
  /// - Parameter link: returns the link of the action with a name or, for an empty name, the link
  ///   of the page; nil if the service has no public address.
  package func linked(_ link: (String) -> String?) -> Message {
    let actions = actions
    guard !actions.isEmpty, let page = link("") else { return self }
    let linkedActions = actions.map {
      OfferedAction(name: $0.name, title: $0.title, url: link($0.name))
    }
    return with(details: details.replacingActions(linkedActions, page: page))
  }
}

extension String {
  /// The details without any text: only the names of the actions and their links remain.
  var untitledActions: String {
    guard let object = detailsObject, let actions = object[OfferedAction.member]?.arrayValue else {
      return ""
    }
    let untitled = actions.compactMap { OfferedAction($0) }
      .map { OfferedAction(name: $0.name, title: "", url: $0.url) }
    return "".replacingActions(untitled, page: object[OfferedAction.pageMember]?.stringValue)
  }

  fileprivate var detailsObject: JSONObject? {
    isEmpty ? nil : (try? JSONParser.parse(self))?.objectValue
  }

  /// Returns the details with other actions.
  ///
  /// - Parameter page: the link to a page that offers all actions; nil if there is none.
  fileprivate func replacingActions(_ actions: [OfferedAction], page: String? = nil) -> String {
    var object = detailsObject ?? JSONObject()
    object[OfferedAction.member] = .array(actions.map(\.json))
    if let page { object[OfferedAction.pageMember] = .string(page) }
    return String(decoding: JSONWriter.canonical(.object(object)), as: UTF8.self)
  }
}

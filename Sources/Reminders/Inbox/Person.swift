/// Who did what an event tells of.
package struct Person: Hashable, Sendable {
  package var id: String
  package var username: String
  package var firstName: String?
  package var avatarURL: String?

  package init(id: String, username: String, firstName: String? = nil, avatarURL: String? = nil) {
    self.id = id
    self.username = username
    self.firstName = firstName
    self.avatarURL = avatarURL
  }
}

/// Where it happened: something with a name, such as a room.
package struct Place: Hashable, Sendable {
  package var id: String
  package var name: String

  package init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}

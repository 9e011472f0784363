/// The number of objects of each sort in an event or a batch, with the first thumbnails.
package struct Tally: Hashable, Sendable {
  /// The maximum number of thumbnails that are remembered (rule N2).
  package static let thumbnailsMax = 5

  package struct Thumbnail: Hashable, Sendable {
    /// The name of the object's sort, such as PHOTO.
    package var sort: String
    package var url: String

    package init(sort: String, url: String) {
      self.sort = sort
      self.url = url
    }
  }

  /// The number of objects of each sort, in the order of the catalog's declaration.
  package private(set) var counts: [Int]
  /// The thumbnails of the first objects that have one, at most `thumbnailsMax`.
  package private(set) var thumbnails: [Thumbnail]

  package init(counts: [Int], thumbnails: [Thumbnail] = []) {
    self.counts = counts
    self.thumbnails = Array(thumbnails.prefix(Self.thumbnailsMax))
  }

  package var total: Int { counts.reduce(0) { $0.addingClamped($1) } }

  package mutating func add(_ other: Tally) {
    let missing = max(0, other.counts.count - counts.count)
    counts += repeatElement(0, count: missing)
    for (sort, count) in other.counts.enumerated() {
      counts[sort] = counts[sort].addingClamped(count)
    }
    let capacity = Self.thumbnailsMax - thumbnails.count
    thumbnails += other.thumbnails.prefix(max(0, capacity))
  }

  /// Returns a text such as "20 photos and 3 videos".
  func text(_ sorts: [ObjectKind], _ wording: Wording) -> String {
    let phrases = zip(sorts, counts).filter { $1 > 0 }.map { sort, count in
      let number = LocalNumber(Int64(count))
      return sort.forms(in: wording.language)?
        .text(of: number.operands, written: wording.number(number)) ?? "\(count) \(sort.name)"
    }
    return wording.list(phrases)
  }

  /// A sort of object in a list, with the words for numbers of such objects.
  package struct ObjectKind: Hashable, Sendable {
    /// The name in the catalog and in events, such as PHOTO.
    package var name: String
    /// The words by language, beginning with the catalog's own language.
    package var words: [(language: LanguageTag, forms: PluralForms)]

    /// Returns the words in a language or its nearest parent, or else in the catalog's own
    /// language.
    func forms(in language: LanguageTag) -> PluralForms? {
      language.lookup { tag in words.first { $0.language == tag }?.forms } ?? words.first?.forms
    }

    package static func == (left: Self, right: Self) -> Bool {
      left.name == right.name
        && left.words.elementsEqual(right.words) { one, other in
          one.language == other.language && one.forms == other.forms
        }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}

extension Int {
  /// Returns the sum, clamped to the range of `Int`, because a damaged row may contain any count.
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }
}

extension Tally {
  func write(to writer: inout ByteWriter) {
    writer.count(counts.count)
    for count in counts { writer.signed(Int64(count)) }
    writer.count(thumbnails.count)
    for thumbnail in thumbnails {
      writer.text(thumbnail.sort)
      writer.text(thumbnail.url)
    }
  }

  init(from reader: inout ByteReader) throws(CodingFailure) {
    var counts: [Int] = []
    for _ in 0..<(try reader.count()) { counts.append(Int(clamping: try reader.signed())) }
    var thumbnails: [Thumbnail] = []
    for _ in 0..<(try reader.count()) {
      thumbnails.append(Thumbnail(sort: try reader.text(), url: try reader.text()))
    }
    self.init(counts: counts, thumbnails: thumbnails)
  }
}

extension ByteWriter {
  mutating func optional(_ text: String?) {
    count(text == nil ? 0 : 1)
    if let text { self.text(text) }
  }
}

extension ByteReader {
  mutating func optional() throws(CodingFailure) -> String? {
    try count() == 1 ? try text() : nil
  }
}

/// The person who caused an event.
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

/// The place of an event, such as a room.
package struct Place: Hashable, Sendable {
  package var id: String
  package var name: String

  package init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}

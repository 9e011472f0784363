import Testing

@Suite struct BannedPhraseTests {
  private func lines(_ text: String, at path: String = "Sources/Store/A.swift") -> [Int] {
    BannedPhrase.violations(in: ProjectFile(path, text)).map(\.line)
  }

  /// A text that contains each phrase, and a similar text that does not, by phrase.
  private static let samples: [String: (refused: String, accepted: String)] = [
    "whoever|whomever|whosoever": ("Whoever asks gets it.", "An app that asks gets it."),
    "nobody ' s": ("It is nobody's.", "The user \"nobody\" reads it."),
    "nobody else ' s": ("A text that is nobody else's.", "A text of the user `nobody`."),
    "nobody|somebody|everybody|anybody is|was|has|can|may|must|will|does|knows|asks|reads|gets": (
      "Nobody is waiting.", "GET /v1/recipients/nobody: 404."
    ),
    "What is|are|was|were|has|have|becomes|comes|belongs|stands": (
      "What is old goes.", "What is old? It depends on what is configured."
    ),
    "Who is|are|was|were|has|have|does|can|may|asks|reads|connects": (
      "Who asks has to wait.", "Who asks? A caller who asks has to wait."
    ),
    "be it|they": ("An answer, be it late or not.", "It may be that it is late."),
    "of before": ("Rows of before are old.", "Rows of the week before are old."),
    "comes|come|came|becomes|became of": ("The error that comes of it.", "The result comes next."),
    "is|are|was|were|be|been|being|gets told": (
      "The app is told.", "The app is notified, and told events from facts."
    ),
    "tell|tells|telling|told of": ("It tells of the fault.", "It can tell one from the other."),
    "takes|took|taking in": ("It takes in events.", "It takes events in batches."),
    "is|are|was|were|be|been taken in": ("Events are taken in.", "for taken in wishes {}"),
    "hand|hands|handing over": ("It hands over shards.", "A handover of shards."),
    "let|lets|letting go of": ("It lets go of a shard.", "It lets a shard go."),
    "held|hold|holds up by": ("It is held up by a lock.", "It is held by a lock."),
    "has|have|had its|their turn": ("Each has its turn.", "Each turn is a transaction."),
    "wait|waits|waiting for its|their turn": (
      "Callers wait for their turn.", "Callers wait for their answers."
    ),
    "anew": ("It is computed anew.", "It is computed again."),
    "at first": ("It is zero at first.", "It is zero at the first attempt."),
    "in force": ("The catalog in force.", "The catalog in enforced order."),
    "under way": ("A batch is under way.", "An occurrence is `underWay`."),
  ]

  @Test func `every phrase has samples`() {
    #expect(Set(Self.samples.keys) == Set(BannedPhrase.list.map(\.phrase)))
  }

  @Test(arguments: BannedPhrase.list.map(\.phrase))
  func `a banned phrase is reported, and similar text is accepted`(phrase: String) throws {
    let sample = try #require(Self.samples[phrase])
    #expect(lines("let a = 1\n/// \(sample.refused)\n") == [2])
    #expect(lines("let a = 1\n/// \(sample.accepted)\n") == [])
  }

  @Test(arguments: [
    ("Sources/Store/A.swift", "@Test func `V7: an app is told`() {}"),
    ("Sources/Store/A.swift", "let a = \"the app is told\""),
    ("Sources/CStore/a.c", "/* The app is told. */"),
    ("Sources/CConsole/web/a.js", "/** The app is\n * told. */"),
    ("Tests/a.py", "# The app is told."),
    ("README.md", "The app is\ntold."),
    ("config/manual/a.5", "The app is told."),
  ])
  func `texts in any language are checked`(path: String, text: String) {
    #expect(lines(text, at: path) == [1])
  }

  @Test func `a phrase may continue in the next line of a comment`() {
    #expect(lines("  /// The app is\n  /// told.\n") == [1])
    #expect(lines("  /// It is. Told\n") == [])
  }

  @Test(arguments: ["LICENSE", "config/catalogs/a.yaml", "config/holidays/DE.ics"])
  func `texts that others have written are accepted`(path: String) {
    #expect(lines("The app is told.", at: path) == [])
  }

  @Test func `a violation names the words to write instead`() throws {
    let file = ProjectFile("README.md", "It runs anew.")
    let violation = try #require(BannedPhrase.violations(in: file).first)
    #expect(
      violation.description == "README.md:1: `anew`: write `again`, or the verb with `re-`")
  }
}

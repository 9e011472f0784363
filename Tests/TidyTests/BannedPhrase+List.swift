extension BannedPhrase {
  static let list: [BannedPhrase] = actors + clauses + verbs + times

  private static let actors =
    [
      "whoever|whomever|whosoever", "nobody ' s", "nobody else ' s",
      "nobody|somebody|everybody|anybody is|was|has|can|may|must|will|does|knows|asks|reads|gets",
    ].map { BannedPhrase($0, instead: "name the actor, such as client, caller or operator") }

  private static let clauses = [
    BannedPhrase(
      "What is|are|was|were|has|have|becomes|comes|belongs|stands",
      instead: "begin with a noun that names it"),
    BannedPhrase(
      "Who is|are|was|were|has|have|does|can|may|asks|reads|connects",
      instead: "begin with the actor, such as client, caller or operator"),
    BannedPhrase("be it|they", instead: "write `whether` and the cases"),
    BannedPhrase("of before", instead: "write `previous` or `older`"),
    BannedPhrase(
      "comes|come|came|becomes|became of", instead: "name the result, or write `follows from`"),
  ]

  private static let verbs = [
    BannedPhrase(
      "is|are|was|were|be|been|being|gets told", instead: "write who receives or learns what"),
    BannedPhrase("tell|tells|telling|told of", instead: "write `reports` or `names`"),
    BannedPhrase("takes|took|taking in", instead: "write `accepts`, `reads` or `ingests`"),
    BannedPhrase(
      "is|are|was|were|be|been taken in", instead: "write `is accepted`, `read` or `ingested`"),
    BannedPhrase("hand|hands|handing over", instead: "write `releases`, `sends` or `forwards`"),
    BannedPhrase("let|lets|letting go of", instead: "write `releases` or `frees`"),
    BannedPhrase("held|hold|holds up by", instead: "write `delayed by`"),
    BannedPhrase(
      "has|have|had its|their turn", instead: "write what happens then, such as `is processed`"),
    BannedPhrase(
      "wait|waits|waiting for its|their turn", instead: "write what is awaited, such as a cycle"),
  ]

  private static let times = [
    BannedPhrase("anew", instead: "write `again`, or the verb with `re-`"),
    BannedPhrase("at first", instead: "write `initially` or `initial`"),
    BannedPhrase("in force", instead: "write `current`"),
    BannedPhrase("under way", instead: "write `running` or `in progress`"),
  ]
}

/// Checks that every test is run and expects something.
enum TestFunctionRules {
  /// Reports each function that is named like a test, by a sentence or as in XCTest, but has no
  /// `@Test`.
  static func testsThatNeverRun(in file: ProjectFile) -> [Violation] {
    guard file.isInTests else { return [] }
    let suspects = file.functions.filter {
      $0.kind == "func" && !$0.isTest && isNamedLikeTest($0.name)
    }
    return suspects.map {
      file.violation(line: $0.firstLine, "`\($0.name)` never runs: give it `@Test`")
    }
  }

  /// Reports expectations outside tests and helpers. A helper has a caller or a helper's name.
  /// Files without tests contain only helpers.
  static func expectationsOutsideTests(in file: ProjectFile) -> [Violation] {
    guard file.isInTests else { return [] }
    let functions = file.functions
    guard functions.contains(where: \.isTest) else { return [] }
    let suspects = functions.filter { function in
      function.kind == "func" && !function.isTest && !isHelper(function.name)
        && function.body.containsExpectation
        && !functions.contains { $0.body.calls(function.name) }
    }
    return suspects.map {
      let message = "`\($0.name)` never runs unless called: give it `@Test`, or name it `expect...`"
      return file.violation(line: $0.firstLine, message)
    }
  }

  /// Reports each test without an expectation.
  static func testsThatProveNothing(in file: ProjectFile) -> [Violation] {
    guard file.isInTests else { return [] }
    return file.functions.filter { $0.isTest && !$0.body.containsExpectation }.map {
      file.violation(line: $0.firstLine, "`\($0.name)` expects nothing: add `#expect`")
    }
  }

  static func isHelper(_ name: String) -> Bool {
    name.hasPrefix("expect") || name.hasPrefix("check")
  }

  private static func isNamedLikeTest(_ name: String) -> Bool {
    if name.contains(" ") { return true }
    guard name.hasPrefix("test") else { return false }
    let next = name.dropFirst("test".count).first
    return next.map { $0.isUppercase || $0.isNumber || $0 == "_" } ?? true
  }
}

extension [Token] {
  fileprivate func calls(_ name: String) -> Bool {
    indices.dropLast().contains {
      self[$0].text == name && ["(", "{"].contains(self[$0 + 1].text)
    }
  }

  /// Whether the tokens contain `#expect`, `#require`, `Issue.record`, `confirmation`, or a call of
  /// a helper named `expect...` or `check...`.
  fileprivate var containsExpectation: Bool {
    indices.dropFirst().contains { index in
      let isCall = index + 1 < count && ["(", "{"].contains(self[index + 1].text)
      return switch self[index].text {
      case "expect", "require": self[index - 1].text == "#" || isCall
      case "record": isMember(at: index) && index > 1 && self[index - 2].text == "Issue"
      case "confirmation": isCall
      default: isCall && TestFunctionRules.isHelper(self[index].text)
      }
    }
  }
}

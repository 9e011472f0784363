import Foundation
import Mustache
import Reminders

/// A directory of e-mail templates: `default.html.mustache`, `LESSON.text.mustache`, and for one
/// language `default.de.html.mustache`.
struct MailTemplateDirectory {
  let path: String

  /// - Throws: all faults of the templates, with line and column.
  func read() throws -> MailTemplates {
    var templates = try MailTemplates.builtIn()
    var diagnostics: [Diagnostic] = []
    let names = try fileNames()
    for file in names {
      do {
        let key = try key(of: file)
        let text = try text(of: file)
        diagnostics += MailTemplateCheck(file: path(of: file), partials: names).findings(in: text)
        try templates.add(text, named: String(file.dropLast(Self.suffix.count)), key)
      } catch let error as MustacheTemplate.ParserError {
        diagnostics.append(diagnostic(error, file))
      } catch let error as Diagnostic {
        diagnostics.append(error)
      }
    }
    guard diagnostics.isEmpty else { throw CatalogErrors(diagnostics: diagnostics) }
    return templates
  }

  static let suffix = ".mustache"

  private func path(of file: String) -> String { "\(path)/\(file)" }

  private func fileNames() throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path)
        .filter { $0.hasSuffix(Self.suffix) }.sorted()
    } catch {
      throw Diagnostic(file: path, message: "cannot be read as a directory")
    }
  }

  private func text(of file: String) throws -> String {
    guard let text = try? String(contentsOfFile: path(of: file), encoding: .utf8) else {
      throw Diagnostic(file: path(of: file), message: "cannot be read as UTF-8 text")
    }
    return text
  }

  /// Parses `NAME.KIND` or `NAME.LANGUAGE.KIND`; NAME is a category or "default".
  private func key(of file: String) throws -> MailTemplates.Key {
    let parts = file.dropLast(Self.suffix.count).split(
      separator: ".", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), !parts[0].isEmpty,
      let kind = parts.last.flatMap({ MailTemplates.Kind(rawValue: String($0)) })
    else {
      throw Diagnostic(
        file: path(of: file),
        message: "must be called like default.html.mustache, LESSON.text.mustache or "
          + "default.de.html.mustache")
    }
    let language = parts.count == 3 ? LanguageTag(parts[1]) : nil
    guard parts.count == 2 || language != nil else {
      throw Diagnostic(
        file: path(of: file), message: "\"\(parts[1])\" is not a language such as de or pt-BR")
    }
    return MailTemplates.Key(
      category: parts[0] == "default" ? nil : String(parts[0]), language: language, kind: kind)
  }

  private func diagnostic(_ error: MustacheTemplate.ParserError, _ file: String) -> Diagnostic {
    let isText = file.contains(".\(MailTemplates.Kind.text.rawValue).")
    let prefixLength =
      isText && error.context.lineNumber == 1 ? MailTemplates.pragma(of: .text).count : 0
    return Diagnostic(
      file: path(of: file), line: error.context.lineNumber,
      column: max(1, error.context.columnNumber - prefixLength),
      message: Self.description(of: error.error))
  }

  private static func description(of error: any Error) -> String {
    switch error as? MustacheTemplate.Error {
    case .sectionCloseNameIncorrect: "this does not close the open section"
    case .unfinishedName: "a \"{{\" is not closed by \"}}\""
    case .expectedSectionEnd: "a section is not closed before the end"
    default: "invalid mustache: \(error)"
    }
  }
}

/// Finds unknown names and partials in a template.
struct MailTemplateCheck {
  /// The path of the template, for diagnostics.
  let file: String
  /// The files that may be included as partials.
  let partials: [String]

  func findings(in text: String) -> [Diagnostic] {
    var findings: [Diagnostic] = []
    var rest = text[...]
    while let open = rest.firstRange(of: "{{"),
      let close = rest[open.upperBound...].firstRange(of: "}}")
    {
      if let message = problem(of: rest[open.upperBound..<close.lowerBound]) {
        let precedingText = text[..<open.lowerBound]
        let lines = precedingText.split(separator: "\n", omittingEmptySubsequences: false)
        findings.append(
          Diagnostic(
            file: file, line: lines.count, column: (lines.last?.count ?? 0) + 1, message: message))
      }
      rest = rest[close.upperBound...]
    }
    return findings
  }

  /// Returns the fault of the text between "{{" and "}}"; nil if there is none.
  private func problem(of tag: Substring) -> String? {
    let sign = tag.first.map(String.init) ?? ""
    guard !["!", "%", "="].contains(sign) else { return nil }
    let isSigned = ["#", "^", "/", "&", "{", ">"].contains(sign)
    let name = String(isSigned ? tag.dropFirst() : tag).trimmed
    if sign == ">" {
      guard !partials.contains(name + MailTemplateDirectory.suffix) else { return nil }
      return "there is no \(name)\(MailTemplateDirectory.suffix) in the directory"
    }
    guard name != ".", !MailValues.names.contains(name) else { return nil }
    return "{{\(name)}} is unknown here; known: "
      + MailValues.names.map { "{{\($0)}}" }.joined(separator: ", ")
  }
}

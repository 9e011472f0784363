import Reminders
import Testing

/// Texts with placeholders.
@Suite struct TemplateTests {
  private static let names: [String: Template.Segment] = [
    "day": .number, "next": .next, "name": .literal("Sabr"),
  ]

  @Test(arguments: [
    ("", ""), ("Plain", "Plain"), ("Day {{day}}", "Day 7"), ("{{next}} of {{ day }}", "8 of 7"),
    ("{{name}}", "Sabr"), ("{{name}}{{name}}", "SabrSabr"), ("{{day}}{{next}}", "78"),
    ("a } b { c }}", "a } b { c }}"), ("Größe {{day}} 🎂", "Größe 7 🎂"),
  ])
  func `placeholders are replaced`(text: String, filled: String) throws {
    #expect(try Template(parsing: text, names: Self.names).text(number: 7) == filled)
  }

  @Test func `adjacent literals become one segment`() throws {
    let template = try Template(parsing: "It is {{name}}, {{name}}.", names: Self.names)
    #expect(template.segments == [.literal("It is Sabr, Sabr.")])
  }

  @Test(arguments: [
    ("Day {{dya}}", "{{dya}} is unknown here; known: {{day}}, {{name}}, {{next}}"),
    ("{{}}", "{{}} is unknown here; known: {{day}}, {{name}}, {{next}}"),
    ("Day {{day", "a \"{{\" is not closed by \"}}\""),
    ("{{day}} {{", "a \"{{\" is not closed by \"}}\""),
  ])
  func `an invalid placeholder is explained`(text: String, message: String) {
    let error = #expect(throws: TemplateError.self) {
      try Template(parsing: text, names: Self.names)
    }
    #expect(error?.description == message)
  }

  @Test func `nothing is suggested without known names`() {
    let error = #expect(throws: TemplateError.self) { try Template(parsing: "{{x}}", names: [:]) }
    #expect(error?.description == "{{x}} is unknown here")
  }
}

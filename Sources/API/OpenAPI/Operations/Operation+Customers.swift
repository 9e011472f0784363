import HTTPTypes
import JSON
import Reminders

extension Operation {
  static let customerPreferences = Operation(
    identifier: "customerPreferences", summary: "The UrbanNest app's notification settings",
    answers: [
      Answer(
        "The whole document",
        .object(.init("success", .boolean), .init("data", .reference(.customerPreferences))))
    ],
    problems: [.unknownPath], isEnveloped: true)

  static let changeCustomerPreferences = Operation(
    identifier: "changeCustomerPreferences",
    summary: "Write the UrbanNest app's notification settings",
    body: Body(
      Content(
        schema: .reference(.customerPreferences), example: ["dnd": ["enabled": true]])),
    answers: [
      Answer(
        "Written",
        .object(
          .init("success", .boolean), .init("message", .text)),
        example: ["success": true, "message": "Notification preferences updated"])
    ],
    problems: [.unknownPath, .unacceptableEvent], isEnveloped: true)

  static let registerToken = Operation(
    identifier: "registerToken", summary: "Register the token of a customer's device",
    body: Body(
      Content(
        schema: .object(Catalog.device),
        example: ["token": "fcm_device_token", "platform": "ios", "deviceId": "unique_device_id"])),
    answers: [
      Answer("Registered", .object(.init("success", .boolean)), example: ["success": true])
    ],
    problems: [.unacceptableEvent], isEnveloped: true)
}

import HTTPTypes
import JSON
import Reminders

extension Operation {
  static let customerPreferences = Operation(
    identifier: "customerPreferences", summary: "The UrbanNest app's notification settings",
    answers: [Answer("The whole document", .of(CustomerPreferencesPayload.self))],
    problems: [.unknownPath], isEnveloped: true)

  static let changeCustomerPreferences = Operation(
    identifier: "changeCustomerPreferences",
    summary: "Write the UrbanNest app's notification settings",
    body: Body(
      Content(
        schema: .reference(.customerPreferences), example: ["dnd": ["enabled": true]])),
    answers: [
      Answer(
        "Written", .of(UpdatedPayload.self),
        example: ["success": true, "message": "Notification preferences updated"])
    ],
    problems: [.unknownPath, .malformedPreferences, .unacceptablePreferences], isEnveloped: true)

  static let registerToken = Operation(
    identifier: "registerToken", summary: "Register the token of a customer's device",
    body: Body(
      Content(
        schema: .object(Catalog.device),
        example: ["token": "fcm_device_token", "platform": "ios", "deviceId": "unique_device_id"])),
    answers: [
      Answer("Registered", .of(SuccessPayload.self), example: ["success": true])
    ],
    problems: [.unacceptableEvent], isEnveloped: true)
}

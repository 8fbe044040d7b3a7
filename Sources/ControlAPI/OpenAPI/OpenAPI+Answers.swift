import Reactor
import Settings

// What many calls have in common.
extension OpenAPI {
  /// The name of the component for 400 and 403, which a request may get before its route is known.
  static let requestIDIfRouted = "RequestIdIfRouted"
  /// The component for what a call has made.
  static let placeMade = "PlaceMade"
  /// Names of headers whose components have other names.
  static let headerNames = [requestIDIfRouted: "X-Toxiproxy-Request-Id", placeMade: "Location"]

  static let headers: JSON = [
    "X-Toxiproxy-Request-Id": requestID("Unique, and about sorted by time.", isRequired: true),
    "RequestIdIfRouted": requestID("There when the request had come as far as its route.", isRequired: false),
    "Warning": [
      "description": "What was odd about the request and was let pass, such as unknown keys; up to 8 such headers.",
      "schema": ["type": "string", "pattern": #"^299 headwind "[^"]*"$"#],
    ],
    "Allow": [
      "description": "The methods that the path has.", "required": true,
      "schema": ["type": "string", "pattern": "^[A-Z]+(, [A-Z]+)*$"],
    ],
    "WWW-Authenticate": [
      "description": "How to show the token (RFC 6750).", "required": true,
      "schema": ["type": "string", "pattern": #"^Bearer( error="invalid_token")?$"#],
    ],
    "PlaceMade": [
      "description": "The path of what was made.", "required": true, "schema": ["type": "string", "pattern": "^/"],
    ],
    "X-Content-Type-Options": [
      "description": "No script for web pages.", "required": true, "schema": ["type": "string", "enum": ["nosniff"]],
    ],
    "Location": ["description": "The path without them.", "required": true, "schema": ["type": "string"]],
  ]

  private static func requestID(_ description: String, isRequired: Bool) -> JSON {
    [
      "description": .string(description), "required": .bool(isRequired),
      "schema": ["type": "string", "pattern": "^[0-9a-v]{20}$"],
    ]
  }

  static let answersOfEveryCall: [Answer] = [
    .shared(301, "DoubledSlashes"), .shared(400, "BadRequest"), .shared(401, "Unauthorized"),
    .shared(403, "Forbidden"), .shared(405, "MethodNotAllowed"), .shared(408, "RequestTimeout"),
    .shared(413, "ContentTooLarge"),
    .shared(417, "ExpectationFailed"), .shared(431, "HeaderFieldsTooLarge"), .shared(501, "NotImplemented"),
    .shared(503, "NoRoom"),
  ]

  static let sharedAnswers: [(String, Answer)] = [
    ("DoubledSlashes", Answer(301, "The path has slashes in a row.", headers: ["Location"])),
    ("BadRequest", .error(400, "No sound HTTP request, a broken percent escape in the path, or no `Host`.")),
    (
      "Unauthorized",
      Answer(
        401, "The daemon asks for a token, and the request shows none or another one.", headers: ["WWW-Authenticate"],
        content: errorContent)
    ),
    ("Forbidden", .error(403, "Asked by a web page, or under a `Host` that isn't allowed.")),
    (
      "MethodNotAllowed",
      Answer(405, "Any other method on this path.", headers: ["Allow"], content: errorContent)
    ),
    (
      "RequestTimeout",
      plain(408, "Not complete \(limits.requestTimeoutNanoseconds / 1_000_000_000) s after its first byte.")
    ),
    ("ContentTooLarge", plain(413, "The body is larger than the limit `\(Limit.controlBodyBytes.rawValue)`.")),
    ("ExpectationFailed", plain(417, "`Expect` asks for something else than `100-continue`.")),
    ("HeaderFieldsTooLarge", plain(431, "The head is larger than the limit `\(Limit.controlHeadBytes.rawValue)`.")),
    ("NotImplemented", plain(501, "A method or a transfer encoding that the server doesn't know.")),
    ("ProxyNotFound", .error(404, "No proxy has this name.")),
    ("ToxicNotFound", .error(404, "No proxy has this name, or no toxic of it does.")),
    ("LeaseEnded", .error(404, "No lease has this id, or it has ended.")),
    ("UnknownProfile", .error(404, "No profile has this name; the nearest one is named.")),
    (
      "CannotListen",
      .error(500, "An address can't be listened on, with the system's reason. Nothing has changed.")
    ),
  ]

  private static let limits = HTTPLimits()
  private static let errorContent: [(type: String, schema: Schema)] = [("application/json", .reference("Error"))]

  /// By the HTTP server itself, so without an identifier.
  private static func plain(_ status: Int, _ description: String) -> Answer {
    Answer(status, description, content: errorContent)
  }
}

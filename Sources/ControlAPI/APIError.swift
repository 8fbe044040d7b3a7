import Proxying
import Settings

/// A refusal, as every call answers it: `{"error":"…","status":N}`.
package struct APIError: Error, Equatable {
  package var status: Int
  package var message: String
  var headers: [String: String] = [:]

  package init(_ status: Int, _ message: String) {
    self.status = status
    self.message = message
  }

  static func methodNotAllowed(_ allowed: [String]) -> APIError {
    var error = APIError(405, "method not allowed; allowed: \(allowed.joined(separator: ", "))")
    error.headers["Allow"] = allowed.joined(separator: ", ")
    return error
  }

  /// A body that can't be read as what the call wants; clients match the prefix.
  static func badBody(_ reason: some CustomStringConvertible) -> APIError {
    APIError(400, "bad request body: \(reason)")
  }

  /// - Parameter extra: members that stand behind `error` and `status`.
  func response(_ extra: [(String, JSON?)] = [], newline: Bool = true) -> APIResponse {
    let members: [(String, JSON?)] = [("error", .string(message)), ("status", .integer(Int64(status)))]
    var response = APIResponse.json(.object(members + extra), status: status, newline: newline)
    response.headers += headers.map { ($0.key, $0.value) }
    return response
  }
}

extension APIError {
  init(_ error: RegistryError) {
    switch error {
    case .proxyNotFound, .toxicNotFound, .leaseNotFound: self.init(404, error.description)
    case .proxyExists, .toxicExists: self.init(409, error.description)
    case .limit(let refusal): self.init(refusal.limit == .nameBytes ? 400 : 429, error.description)
    case .cannotListen: self.init(500, error.description)
    case .notAllowed: self.init(400, error.description)
    }
  }
}

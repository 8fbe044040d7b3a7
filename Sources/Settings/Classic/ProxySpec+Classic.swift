extension ProxySpec {
  private static let classicKeys = keys + ["logger"]

  /// Reads the body of `POST /proxies`.
  ///
  /// - Throws: `badBody`, `missing` (name is looked at first), then what is wrong with its toxics.
  package static func classicCreate(body: some Sequence<UInt8>) throws(ClassicError) -> ClassicBody<ProxySpec> {
    let entry = try ClassicEntry(JSONReader.classicBody(body), path: "")
    try entry.requireFields(proxy: nil)
    return try entry.proxy(number: nil)
  }

  /// Reads the body of `POST /populate`: all entries are decoded before any is looked at.
  package static func classicPopulate(body: some Sequence<UInt8>) throws(ClassicError) -> ClassicBody<[ProxySpec]> {
    var entries: [ClassicEntry] = []
    for (index, element) in try elements(of: JSONReader.classicBody(body)).enumerated() {
      entries.append(try ClassicEntry(element, path: "[\(index)]"))
    }
    for (index, entry) in entries.enumerated() { try entry.requireFields(proxy: index + 1) }
    var result = ClassicBody<[ProxySpec]>(value: [])
    for (index, entry) in entries.enumerated() {
      let read = try entry.proxy(number: index + 1)
      result.value.append(read.value)
      result.warnings += read.warnings
    }
    return result
  }

  private static func elements(of body: JSON) throws(ClassicError) -> [JSON] {
    switch body {
    case .null: return []
    case .array(let elements) where elements.count <= maximumCount: return elements
    case .array: throw .invalidValue("more than \(maximumCount) proxies")
    default: throw .badBody("the top level is \(body.excerpt); allowed: an array of proxies")
    }
  }

  /// An entry whose fields have their types, and no more.
  private struct ClassicEntry {
    let fields: Fields
    let spec: ProxySpec

    init(_ value: JSON, path: String) throws(ClassicError) {
      let fields = try Fields.classic(value, path: path)
      self.fields = fields
      spec = try classic { () throws(SettingsError) in
        let mode = try fields.choice("mode", of: ProxyMode.self)
        let isForward = mode?.isForward ?? false
        return ProxySpec(
          name: try fields.string("name") ?? "", listen: try fields.string("listen") ?? "",
          upstream: try isForward ? fields.forwardUpstream(of: mode ?? .tcp) : fields.string("upstream") ?? "",
          mode: mode, enabled: try fields.bool("enabled"), profile: try fields.string("profile"))
      }
    }

    func requireFields(proxy: Int?) throws(ClassicError) {
      if spec.name.isEmpty { throw .missing(field: "name", proxy: proxy) }
      if spec.upstream.isEmpty { throw .missing(field: "upstream", proxy: proxy) }
    }

    func proxy(number: Int?) throws(ClassicError) -> ClassicBody<ProxySpec> {
      let toxics = try ClassicToxic.list(fields, proxy: number)
      var spec = spec
      spec.toxics = toxics.value
      return ClassicBody(
        value: spec,
        warnings: fields.warnings(known: ProxySpec.classicKeys) + upstreamWarnings(spec.upstream) + toxics.warnings)
    }
  }
}

extension ProxyUpdate {
  /// Reads the body of an update; `name`, `toxics` and unknown keys are ignored.
  package static func classic(body: some Sequence<UInt8>) throws(ClassicError) -> ClassicBody<ProxyUpdate> {
    let fields = try Fields.classic(JSONReader.classicBody(body))
    let update = try Settings.classic { () throws(SettingsError) in
      ProxyUpdate(
        listen: try fields.string("listen"), upstream: try fields.string("upstream"),
        mode: try fields.choice("mode", of: ProxyMode.self), enabled: try fields.bool("enabled"))
    }
    return ClassicBody(
      value: update,
      warnings: fields.warnings(known: ProxySpec.keys + ["logger"]) + upstreamWarnings(update.upstream))
  }
}

/// The reference takes any text and says nothing, though every connection will fail.
private func upstreamWarnings(_ upstream: String?) -> [String] {
  guard let upstream else { return [] }
  let text = JSON.string(upstream).excerpt
  if let scheme = ["http://", "https://"].first(where: { upstream.lowercased().hasPrefix($0) }) {
    return ["upstream is \(text), which begins with \(scheme); connections will fail, HOST:PORT is wanted"]
  }
  guard let problem = Endpoint.problem(in: upstream) else { return [] }
  return ["upstream is \(text): \(problem.reason); connections will fail, HOST:PORT is wanted"]
}

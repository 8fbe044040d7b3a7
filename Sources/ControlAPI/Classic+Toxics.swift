import Proxying
import Settings

// The classic API's toxics.
extension API {
  var toxicRoutes: [Route] {
    [
      Route(
        "proxies/{}/toxics",
        [
          "GET": { [unowned self] request, names throws(APIError) in
            .now(.json(.array(try proxy(names[0]).listedToxics(includingHidden: request.wantsAll).map(\.json))))
          },
          "POST": { [unowned self] request, names throws(APIError) in try addToxic(request, names[0]) },
        ]),
      Route(
        "proxies/{}/toxics/{}",
        [
          "GET": { [unowned self] _, names throws(APIError) in
            .now(.json(try toxic(names[1], of: try proxy(names[0])).json))
          },
          "POST": { [unowned self] request, names throws(APIError) in try updateToxic(request, names[0], names[1]) },
          "PATCH": { [unowned self] request, names throws(APIError) in try updateToxic(request, names[0], names[1]) },
          "DELETE": { [unowned self] _, names throws(APIError) in
            try refusing { () throws(RegistryError) in try registry.removeToxic(names[1], from: names[0]) }
            return .now(.noContent)
          },
        ]),
    ]
  }

  private func toxic(_ name: String, of proxy: Proxy) throws(APIError) -> ToxicSpec {
    guard let toxic = proxy.toxics.first(where: { $0.name == name }) else { throw APIError(.toxicNotFound) }
    return toxic
  }

  private func addToxic(_ request: APIRequest, _ name: String) throws(APIError) -> APIAnswer {
    let proxy = try proxy(name)
    let read = try reading { () throws(ClassicError) in try ClassicToxic.read(body: request.body) }
    // A name that is taken is told before attributes that are wrong.
    guard !proxy.toxics.contains(where: { $0.name == read.name }) else { throw APIError(.toxicExists) }
    let toxic = try reading { () throws(ClassicError) in try read.spec() }
    try refusing { () throws(RegistryError) in try registry.addToxic(toxic, to: name) }
    return .now(APIResponse.json(toxic.json).warning(read.warnings))
  }

  private func updateToxic(_ request: APIRequest, _ proxyName: String, _ name: String) throws(APIError) -> APIAnswer {
    let old = try toxic(name, of: try proxy(proxyName))
    let read = try reading { () throws(ClassicError) in try old.updated(body: request.body) }
    try refusing { () throws(RegistryError) in try registry.updateToxic(read.value, of: proxyName) }
    return .now(APIResponse.json(read.value.json).warning(read.warnings))
  }
}

/// A profile as a file of `Profiles/`: JSON5, with comments on top.
package struct ProfileFileText {
  private static let width = 118

  package let text: String

  package init(_ profile: Profile, comments: [String]) {
    var lines = comments.flatMap(Self.comment)
    lines += ["{", "  \"name\": \(JSON.string(profile.name).text),"]
    lines.append("  \"aliases\": [\(profile.aliases.map { JSON.string($0).text }.joined(separator: ", "))],")
    lines.append("  \"summary\": \(JSON.string(profile.summary).text),")
    lines.append("  \"source\": \(JSON.string(profile.source).text),")
    let path = profile.path.givenMembers
    if !path.isEmpty {
      lines.append("  \"path\": {")
      lines += path.map { "    \(JSON.string($0.key).text): \($0.value.text)," }
      lines.append("  },")
    }
    if !profile.toxics.isEmpty {
      lines.append("  \"toxics\": [")
      lines += profile.toxics.map { "    \($0.json.text)," }
      lines.append("  ],")
    }
    text = (lines + ["}"]).joined(separator: "\n") + "\n"
  }

  private static func comment(_ sentence: String) -> [String] {
    var lines: [String] = []
    for word in sentence.split(whereSeparator: \.isWhitespace) {
      if let line = lines.last, line.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(line) \(word)"
      } else {
        lines.append("// \(word)")
      }
    }
    return lines
  }
}

extension PathSpec {
  /// What differs from a path that changes nothing, as it is read back; the model only where it was asked for.
  fileprivate var givenMembers: [JSONObject.Member] {
    let neutral = PathSpec().json.objectValue
    let members = json.objectValue?.members.filter { $0.value != .null && $0.value != neutral?[$0.key] } ?? []
    return members.filter { $0.key != "model_note" && ($0.key != "model" || model != nil) }
  }
}

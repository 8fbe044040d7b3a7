@testable import Settings

/// In both dialects: what is taken is written, read again, and written the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  for dialect in [JSONReader.Dialect.lenient, .json5] {
    guard let value = attempt({ try JSONReader.read(input, dialect: dialect) }), isFinite(value) else { continue }
    let written = value.bytes
    // A fraction that no Double has comes back as a whole number.
    guard let again = try? JSONReader.read(written, dialect: dialect), again.bytes == written else {
      fatalError("\(dialect): \(value.text) is read otherwise")
    }
  }
  return 0
}

/// A lenient body may hold a number too large to be one, which can't be written.
private func isFinite(_ value: JSON) -> Bool {
  switch value {
  case .number(let number): number.isFinite
  case .array(let elements): elements.allSatisfy(isFinite)
  case .object(let object): object.members.allSatisfy { isFinite($0.value) }
  case .null, .bool, .integer, .unsigned, .string, .encodedArray: true
  }
}

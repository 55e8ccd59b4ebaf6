/// A target that must fail: it writes behind its memory when it is given the word, which the fuzzer has to find letter
/// by letter. It proves that coverage guides the fuzzer and that the address sanitizer watches.
struct PlantedTarget: FuzzTarget {
  func run(_ input: [UInt8]) {
    guard input.count >= 4, input[0] == UInt8(ascii: "O"), input[1] == UInt8(ascii: "v") else { return }
    guard input[2] == UInt8(ascii: "e"), input[3] == UInt8(ascii: "r") else { return }
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 4)
    for (index, byte) in input.enumerated() { memory[index] = byte }
    memory[4] = input[0]
    memory.deallocate()
  }
}

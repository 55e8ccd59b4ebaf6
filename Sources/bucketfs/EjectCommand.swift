internal import Bucket
internal import SystemCalls

/// `bucketfs eject`: makes a bucket an ordinary directory again. A line on standard output for each thing that plain
/// xattrs could not hold; the exit status is then 1.
struct EjectCommand {
  private let directory: String

  init(_ arguments: ArraySlice<String>) throws(Command.Failure) {
    let places = arguments.first == "--" ? arguments.dropFirst() : arguments
    if let option = places.first, option.hasPrefix("-"), arguments.first != "--" {
      throw .usage("eject has no option '\(option)'")
    }
    guard places.count == 1, let place = places.first else { throw .usage("eject takes a BUCKET_DIR") }
    directory = place
  }

  func run() throws(Command.Failure) {
    let store = try BucketArgument.open(directory, readOnly: false)
    var losses = 0
    do throws(StoreError) {
      try BucketEject.run(store) { loss in
        losses += 1
        print("\(loss.name.isEmpty ? "." : loss.name.displayed): \(loss.reason)")
      }
    } catch {
      throw .failed("\(directory): \(error)")
    }
    if losses > 0 { throw .said(1) }
  }
}

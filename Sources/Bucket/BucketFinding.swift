package import SystemCalls

/// Something that `check` has to say of a bucket.
package struct BucketFinding: Hashable, Sendable {
  /// What it is about: an object name, or the path of a file of bucketfs's own from the bucket's root.
  package var name: [UInt8]
  package var problem: Problem
  /// Whether it was put right.
  package var isRepaired = false

  /// What can be found.
  package enum Problem: Hashable, Sendable {
    /// The record, or its overflow file, is no use.
    case record(StoreError)
    /// The file or folder cannot be looked at.
    case unreadable(Errno)
    /// Xattrs of other programs that the first change of metadata will take in: their names.
    case notTakenIn([[UInt8]])
    /// Xattrs of other programs that are over the limits, so that nothing will take them in: the keys.
    case overLimits(keys: [[UInt8]])
    /// The object's name is one that Cloud Storage refuses.
    case refusedName
    /// Custom entries whose key or value would make no HTTP header: the keys.
    case refusedKeys([[UInt8]])
    /// An overflow file to which no record refers.
    case unreferenced
    /// What a write that was cut short has left.
    case leftOver
    /// A file in `.bucketfs` that bucketfs did not make.
    case foreign
  }

  /// Whether something is wrong. The rest is to be known, and no fault: it comes from ordinary use.
  package var isFault: Bool {
    switch problem {
    case .record, .unreadable, .overLimits, .refusedName, .refusedKeys, .foreign: !isRepaired
    case .notTakenIn, .unreferenced, .leftOver: false
    }
  }
}

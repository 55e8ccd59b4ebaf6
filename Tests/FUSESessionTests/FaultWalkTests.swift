#if FAULT_INJECTION
  import CTestSupport
  import SystemCalls
  import TestSupport
  import Testing

  /// Each request with its first system call failing, then with its second, and so on until none is left to fail.
  @Suite("A system call that fails", .serialized)
  struct FaultWalkTests {
    @Test(
      "is answered with its errno, leaves everything as it was, and is forgotten",
      arguments: FaultWalk.requests.map(\.name), [Errno.ioError, .readOnlyFileSystem])
    func walk(name: String, errno: Errno) throws {
      let request = try #require(FaultWalk.requests.first { $0.name == name })
      try FakeKernel.with { kernel in
        var skip = 0
        while try attempt(request, kernel, skip, errno) { skip += 1 }
        #expect(skip > 0 || request.callsNothing, "\(name) made no call")
      }
    }

    /// Lets the call after `skip` others fail. Returns whether there was one.
    private func attempt(
      _ request: FaultWalk.Request, _ kernel: FakeKernel, _ skip: Int, _ errno: Errno
    ) throws -> Bool {
      let place = "\(request.name), call \(skip), \(errno)"
      try FaultWalk.furnish(kernel)
      let send = try request.prepare(kernel)
      let before = try FaultWalk.picture(of: kernel)

      FaultPlan.set(FaultPlan.Fault(skip: skip, count: 1, errno: errno))
      let answer = send()
      let isUsed = FaultPlan.set(nil)?.count == 0

      let outcome = try #require(answer, "\(place): no answer").errno
      guard outcome != request.usual else { return isUsed }
      #expect(outcome == errno, "\(place): \(outcome)")
      if !request.isDoneFirst { #expect(try FaultWalk.picture(of: kernel) == before, "\(place)") }
      // The fault is gone.
      let again = try #require(send(), "\(place): no answer afterwards").errno
      #expect(again == request.usual, "\(place): afterwards \(again)")
      return isUsed
    }
  }
#endif

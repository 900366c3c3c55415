/** Merges sorted streams into one, in the order of `isBefore`. It is lazy: at any time it holds one value of each stream. */
export async function* mergeSorted<T>(
  streams: readonly AsyncIterator<T>[],
  isBefore: (a: T, b: T) => boolean,
): AsyncGenerator<T> {
  const runs = await Promise.all(streams.map(async (stream) => ({ stream, head: await stream.next() })))
  for (;;) {
    let first: (typeof runs)[number] | undefined
    for (const run of runs) {
      if (!run.head.done && (!first || isBefore(run.head.value, first.head.value))) first = run
    }
    if (!first) return
    yield first.head.value
    first.head = await first.stream.next()
  }
}

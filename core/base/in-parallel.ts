/**
 * Processes items in parallel. After a failure, those under way finish and no further one starts.
 *
 * @param worker makes a function that processes one item after another
 * @throws the first failure
 */
export async function inParallel<Item>(
  items: readonly Item[],
  jobs: number,
  worker: () => (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  let failed: Promise<void> | undefined
  async function work(): Promise<void> {
    const use = worker()
    for (const item of queue) {
      if (failed !== undefined) return
      await use(item)
    }
  }
  const workers = Array.from({ length: Math.min(jobs, items.length) }, () => {
    const running = work()
    running.catch(() => {
      failed ??= running
    })
    return running
  })
  await Promise.allSettled(workers)
  await failed
}

/** Gathers items that come one after another: `size` at a time, the last ones fewer. */
export async function* inBatches<Item>(
  items: AsyncIterable<Item>,
  size: number,
): AsyncGenerator<readonly Item[], void, undefined> {
  let batch: Item[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  yield batch
}

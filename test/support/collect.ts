/** Everything an iteration gives, once it has ended. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

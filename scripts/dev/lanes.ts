/** Works on items in their order, so many at a time. */
export async function inLanes<Item>(
  width: number,
  items: IterableIterator<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const lane = async () => {
    for (const item of items) await work(item)
  }
  await Promise.all(Array.from({ length: width }, lane))
}

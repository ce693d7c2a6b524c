import type { PackageEntry } from '../../packages/package-contents.store.ts'
import type { FormerDocument } from './package-documents.service.ts'

/** After more publications than these, a document is generated again. */
const MAX_ADDED = 100

interface Extension<Item> {
  readonly entry: PackageEntry
  readonly former: FormerDocument | undefined
  /** The newest items, in the order of the document. */
  list(newest: number): Promise<readonly Item[]>
  /** The text of an item in the document. */
  textOf(item: Item): string
  /** The text after the last item. */
  readonly end: string
}

/**
 * The former document without its end, and the texts of the items that were added since, if nothing else has changed:
 * each publication increases the revision by one and adds one item, and the item before them is the last one of the
 * former document.
 */
export async function extend<Item>({
  entry,
  former,
  list,
  textOf,
  end,
}: Extension<Item>): Promise<{ readonly begin: Buffer; readonly added: readonly string[] } | undefined> {
  const count = entry.revision - (former?.revision ?? entry.revision)
  if (count < 1 || count > MAX_ADDED) return undefined
  const newest = await list(count + 1)
  const text = newest.length === count + 1 ? await former!.read() : undefined
  const [last, ...added] = newest.map(textOf)
  const tail = Buffer.from(last + end)
  if (text === undefined || !text.subarray(-tail.length).equals(tail)) return undefined
  return { begin: text.subarray(0, text.length - Buffer.byteLength(end)), added }
}

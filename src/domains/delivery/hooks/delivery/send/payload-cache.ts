import { LRUCache } from 'lru-cache'
import type { Db } from '../../../../../core/db/database.ts'
import { findPayload } from './delivery.store.ts'

/** Characters of all texts together. */
const MAX_SIZE = 4 * 1024 * 1024

/** The JSON texts of messages, read once for all webhooks that get one. A message never changes, so none is stale. */
export class PayloadCache {
  readonly #db: Db
  readonly #loading = new Map<number, Promise<string | undefined>>()
  readonly #texts = new LRUCache<number, string>({ maxSize: MAX_SIZE, sizeCalculation: (text) => text.length + 1 })

  constructor(db: Db) {
    this.#db = db
  }

  /** Undefined when the message is gone: it was deleted with its deliveries. */
  async load(messageId: number): Promise<string | undefined> {
    const known = this.#texts.get(messageId)
    if (known !== undefined) return known
    // NOTE: webhooks that get one message as a rule ask for it at once.
    let loading = this.#loading.get(messageId)
    if (loading === undefined) {
      loading = this.#find(messageId).finally(() => this.#loading.delete(messageId))
      this.#loading.set(messageId, loading)
    }
    return loading
  }

  async #find(messageId: number): Promise<string | undefined> {
    const text = await findPayload(this.#db, messageId)
    // NOTE: the cache leaves out a text that is larger than all of it.
    if (text !== undefined) this.#texts.set(messageId, text)
    return text
  }
}

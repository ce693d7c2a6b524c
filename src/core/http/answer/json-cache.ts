import { LRUCache } from 'lru-cache'

/** A body that is JSON already. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export const jsonList = (items: readonly string[]): RawJson => new RawJson(`[${items.join()}]`)

/** Characters. */
const MAX_CACHED = 4 * 1024 * 1024

/**
 * The JSON of entities that many lists show. An entity never changes: every commit to the database empties the read
 * cache, so that later requests have other objects, for which the JSON is written again.
 */
export class JsonCache<Entity extends { readonly id: number }> {
  readonly #texts = new LRUCache<string, { readonly entity: Entity; readonly text: string }>({
    maxSize: MAX_CACHED,
    sizeCalculation: ({ text }) => text.length,
  })

  /** `context` is everything on which the text depends in addition to the entity. */
  textOf(entity: Entity, context: string, write: () => string): string {
    const key = `${entity.id} ${context}`
    const cached = this.#texts.get(key)
    if (cached?.entity === entity) return cached.text
    const text = write()
    this.#texts.set(key, { entity, text })
    return text
  }
}

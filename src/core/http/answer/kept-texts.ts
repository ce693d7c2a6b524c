import { JsonBytes, JsonText } from './json-text.ts'

interface Written {
  readonly context: string
  readonly text: string
}

interface KeptList {
  readonly before: string
  readonly texts: readonly string[]
  readonly body: JsonBytes
}

/** Characters. NOTE: a shorter answer is best sent as text: see `send`. */
const MIN_KEPT = 8192

/**
 * JSON of entities, and of lists of them, kept as long as the entities: those of `remembered` reads, which are other
 * objects after every commit of any process (`db/remembered.ts`).
 */
export class KeptTexts<E extends object> {
  readonly #texts = new WeakMap<E, Written>()
  readonly #lists = new WeakMap<E, KeptList>()

  /** `context`: all that the text depends on beside the entity. */
  one(entity: E, context: string, write: () => string): string {
    const known = this.#texts.get(entity)
    if (known?.context === context) return known.text
    const text = write()
    this.#texts.set(entity, { context, text })
    return text
  }

  /** The body of a list of texts: an array, or `{"ok":true,"data":[...]}`. The first text is that of `first`. */
  list(first: E | undefined, texts: readonly string[], { isWrapped = false } = {}): JsonBytes | JsonText {
    const [before, after] = isWrapped ? ['{"ok":true,"data":[', ']}'] : ['[', ']']
    const known = first && this.#lists.get(first)
    if (known?.before === before && isSame(known.texts, texts)) return known.body
    const text = new JsonText(before + texts.join(',') + after)
    if (first === undefined || text.text.length < MIN_KEPT) return text
    const body = new JsonBytes(text)
    this.#lists.set(first, { before, texts, body })
    return body
  }
}

/** NOTE: kept texts are the same strings, which takes no time to compare. */
const isSame = (known: readonly string[], texts: readonly string[]): boolean =>
  known.length === texts.length && known.every((text, index) => text === texts[index])

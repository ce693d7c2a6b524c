import { createCipheriv } from 'node:crypto'

/** Deterministic lines that compress about as little as base64 does. */
export function createText(): (bytes: number) => string {
  const next = createBytes(1)
  return (bytes) => {
    const text = next(Math.ceil((bytes * 3) / 4)).toString('base64')
    return text.replace(/(.{76})/g, '$1\n')
  }
}

/**
 * Deterministic choices from a list, as histories have them: few files are changed again and again, some have their
 * last change tens of thousands of commits ago.
 */
export function createChooser<T>(list: readonly T[]): () => T {
  const next = createBytes(2)
  return () => {
    const share = next(4).readUInt32BE() / 2 ** 32
    // A step that no length divides spreads what is chosen often over all directories.
    const rank = Math.floor(list.length * share ** 4)
    return list[(rank * 7_919) % list.length]!
  }
}

function createBytes(key: number): (count: number) => Buffer {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, key), Buffer.alloc(16))
  return (count) => cipher.update(Buffer.alloc(count))
}

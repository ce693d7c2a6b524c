import { readdirSync } from 'node:fs'
import process from 'node:process'

/** What a task of the tests does to its process. */
export type HostileInput =
  | { readonly kind: 'repeat'; readonly text: string; readonly count: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'abort' | 'loop' | 'fill-heap' | 'fill-buffers' | 'throw' | 'who' | 'environment' }
  | { readonly kind: 'list'; readonly folder: string }

/** Tasks that exceed every limit of a child process. */
export const createTask =
  () =>
  (input: HostileInput): unknown => {
    switch (input.kind) {
      case 'repeat':
        return input.text.repeat(input.count)
      case 'wait':
        return new Promise((resolve) => setTimeout(() => resolve(process.pid), input.ms))
      case 'abort':
        return process.abort()
      case 'loop':
        for (;;);
      case 'fill-heap':
        return fill(() => Array.from({ length: 100_000 }, (_, i) => ({ i })))
      case 'fill-buffers':
        return fill(() => Buffer.alloc(16 * 1024 * 1024, 1))
      case 'throw':
        throw new Error('this text is not for me')
      case 'who':
        return process.pid
      case 'environment':
        return Object.keys(process.env).filter((name) => name !== 'MALLOC_ARENA_MAX')
      case 'list':
        return readdirSync(input.folder).length
    }
  }

async function fill(make: () => unknown): Promise<number> {
  const all: unknown[] = []
  for (;;) {
    all.push(make())
    await new Promise((resolve) => setImmediate(resolve))
  }
}

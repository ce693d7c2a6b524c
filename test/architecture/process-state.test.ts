import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
/** State that outlives a request is made by one of these. */
const STATE = new RegExp(
  [
    'new (?:LRUCache|WeakMap|KeyedMutex|FairQueue|Semaphore|RateLimit|WorkerLoop|InFlight|RecentCache|ObjectArena|Limiter|RepoLock)\\b',
    'new (?:PackCache|TaskPool|LanesInFlight|ReaderPool|GraphThread|Checkpoints)\\(',
    'PackCache\\.open\\(',
    '\\b(?:boundedCache|createMemo|withReadCache|setInterval|mkdtemp)\\b[<(]',
  ].join('|'),
)

it('the table of process state names every file that has such state, and no other', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => STATE.test(readFileSync(join(ROOT, 'src', file), 'utf8')))
  const rows = [...readFileSync(join(ROOT, 'docs/design/process-state.md'), 'utf8').matchAll(/^\| `([^`]+\.ts)` +\|/gm)]
  expect(rows.map(([, file]) => file!).toSorted()).toEqual(files.toSorted())
})

it('locks of several processes have names of their own', () => {
  const names = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => [
      ...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(/new KeyedMutex\(\{ name: '([^']+)'/g),
    ])
    .map(([, name]) => name)
  expect(names.length).toBeGreaterThan(5)
  expect(names).toEqual([...new Set(names)])
})

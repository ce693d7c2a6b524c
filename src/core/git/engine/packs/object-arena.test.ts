import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ObjectArena } from './object-arena.ts'

const keys = fc.array(fc.nat(30), { minLength: 200, maxLength: 400 })
/** Some are too long to be cached. */
const lengthOf = (key: number): number => 1 + ((key * 7) % 60)

it('returns cached contents, and overwrites a returned buffer only after two more areas began', () => {
  let hits = 0
  fc.assert(
    fc.property(keys, (asked) => {
      const arena = new ObjectArena(200)
      const given: { readonly content: Buffer; readonly key: number; readonly turns: number }[] = []
      for (const key of asked) {
        let content = arena.get(key)
        if (content) hits++
        else {
          content = arena.take(lengthOf(key)).fill(key)
          arena.keep(key, content)
        }
        given.push({ content, key, turns: arena.turns })
        const intact = given.filter(({ turns }) => arena.turns - turns < 2)
        const isIntact = intact.every((one) => one.content.equals(Buffer.alloc(lengthOf(one.key), one.key)))
        expect(isIntact).toBe(true)
      }
    }),
    { numRuns: 30 },
  )
  expect(hits).toBeGreaterThan(100)
})

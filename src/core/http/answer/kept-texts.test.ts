import { expect, it } from 'vitest'
import { JsonBytes } from './json-text.ts'
import { KeptTexts } from './kept-texts.ts'

const LONG = 'x'.repeat(5000)

it('keeps the text of an entity for one context, and a list for the same texts', () => {
  const kept = new KeptTexts<object>()
  const [first, second] = [{ name: LONG }, { name: `${LONG}2` }]
  const text = (entity: object, context: string): string =>
    kept.one(entity, context, () => JSON.stringify({ ...entity, context }))
  const list = (context: string, isWrapped = false) =>
    kept.list(first, [text(first, context), text(second, context)], { isWrapped })

  expect(list('a')).toBe(list('a'))
  expect(list('a')).toBeInstanceOf(JsonBytes)
  expect(list('a').toJSON()).toEqual([
    { ...first, context: 'a' },
    { ...second, context: 'a' },
  ])
  expect(list('b').toJSON()).toMatchObject([{ context: 'b' }, { context: 'b' }])
  expect(list('b', true).toJSON()).toMatchObject({ ok: true, data: [{ context: 'b' }, { context: 'b' }] })
  expect(list('b').toJSON()).toHaveLength(2)
  expect(kept.list(first, [text(first, 'b')]).toJSON()).toHaveLength(1)
  expect(kept.list(first, [text(first, 'b'), text({ name: 'other' }, 'b')]).toJSON()).toMatchObject([
    first,
    { name: 'other' },
  ])
  expect(kept.list(undefined, []).toJSON()).toEqual([])
})

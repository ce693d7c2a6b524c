import { expect, it } from 'vitest'
import { jsonList, JsonCache } from './json-cache.ts'

it('writes the text of an entity once for each context', () => {
  const cache = new JsonCache<{ readonly id: number }>()
  const entity = { id: 1 }
  const written: string[] = []
  const textIn = (context: string) =>
    cache.textOf(entity, context, () => {
      written.push(context)
      return `"${context}"`
    })
  expect(['admin', 'reader', 'admin'].map(textIn)).toEqual(['"admin"', '"reader"', '"admin"'])
  expect(written).toEqual(['admin', 'reader'])
})

it('writes the text of another entity with the same id again', () => {
  const cache = new JsonCache<{ readonly id: number; readonly name: string }>()
  const textOf = (name: string) => {
    const entity = { id: 1, name }
    return cache.textOf(entity, '', () => JSON.stringify(entity))
  }
  expect(textOf('before')).toBe('{"id":1,"name":"before"}')
  expect(textOf('after')).toBe('{"id":1,"name":"after"}')
})

it('joins the texts of a list', () => {
  expect(jsonList(['1', '{"a":","}']).text).toBe('[1,{"a":","}]')
  expect(jsonList([]).text).toBe('[]')
})

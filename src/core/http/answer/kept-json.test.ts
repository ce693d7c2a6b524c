import { expect, it } from 'vitest'
import { jsonList, KeptJson } from './kept-json.ts'

it('writes the text of an entity once for each context', () => {
  const kept = new KeptJson<{ readonly id: number }>()
  const entity = { id: 1 }
  const written: string[] = []
  const textIn = (context: string) =>
    kept.textOf(entity, context, () => {
      written.push(context)
      return `"${context}"`
    })
  expect(['admin', 'reader', 'admin'].map(textIn)).toEqual(['"admin"', '"reader"', '"admin"'])
  expect(written).toEqual(['admin', 'reader'])
})

it('writes the text of another entity with the same id anew', () => {
  const kept = new KeptJson<{ readonly id: number; readonly name: string }>()
  const textOf = (name: string) => {
    const entity = { id: 1, name }
    return kept.textOf(entity, '', () => JSON.stringify(entity))
  }
  expect(textOf('before')).toBe('{"id":1,"name":"before"}')
  expect(textOf('after')).toBe('{"id":1,"name":"after"}')
})

it('joins the texts of a list', () => {
  expect(jsonList(['1', '{"a":","}']).text).toBe('[1,{"a":","}]')
  expect(jsonList([]).text).toBe('[]')
})

import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DomainError } from '../../platform/errors.ts'
import { compileDecoder } from './decode.ts'

const Option = Type.Object({
  user_name: Type.String({ maxLength: 5 }),
  count: Type.Optional(Type.Integer()),
  flag: Type.Optional(Type.Boolean()),
  tags: Type.Optional(Type.Array(Type.String())),
  due: Type.Optional(Type.String({ format: 'date-time' })),
  kind: Type.Optional(Type.String({ enum: ['a', 'b'] })),
  inner: Type.Optional(Type.Object({ name: Type.Optional(Type.String()) })),
  map: Type.Optional(Type.Record(Type.String(), Type.String())),
})

const decoder = compileDecoder(Option)
const json = (value: unknown): unknown => decoder.json(typeof value === 'string' ? value : JSON.stringify(value))

describe('JSON bodies', () => {
  it('match members without regard to case; the exact name wins; unknown ones and null are nothing', () => {
    expect(json({ USER_NAME: 'x', Count: 3 })).toEqual({ user_name: 'x', count: 3 })
    expect(json({ USER_NAME: 'x', user_name: 'y' })).toEqual({ user_name: 'y' })
    expect(json({ user_name: 'x', more: [1], count: null, inner: { NAME: 'n', other: 1 } })).toEqual({
      user_name: 'x',
      inner: { name: 'n' },
    })
    expect(json({ user_name: 'x', map: { k: 'v', gone: null } })).toEqual({ user_name: 'x', map: { k: 'v' } })
  })

  it.each([
    [{}, '[UserName]'],
    [{ user_name: '' }, '[UserName]'],
    [{ user_name: 'toolong' }, '[UserName]'],
    [{ user_name: 3 }, 'UserName of type string'],
    [{ user_name: 'x\0' }, '[UserName]'],
    [{ user_name: 'x', count: '3' }, 'Count of type int64'],
    [{ user_name: 'x', count: 1.5 }, 'Count of type int64'],
    [{ user_name: 'x', count: 2 ** 60 }, 'Count of type int64'],
    ['{"user_name":"x","count":1.0}', 'unmarshal number into field Count'],
    ['{"user_name":"x","count": 1e2}', 'unmarshal number into field Count'],
    ['{"user_name":"x","count":1e999}', 'Count of type int64'],
    ['{"user_name":"x","tags":[1.0]}', 'Tags of type string'],
    ['{"user_name":"x","inner":2.0}', 'Inner of type object'],
    [{ user_name: 'x', flag: 'true' }, 'Flag of type bool'],
    [{ user_name: 'x', tags: 'a' }, 'Tags of type array'],
    [{ user_name: 'x', tags: [1] }, 'Tags of type string'],
    [{ user_name: 'x', due: '2020-13-40T00:00:00Z' }, '(Due)'],
    [{ user_name: 'x', due: 'tomorrow' }, '(Due)'],
    [{ user_name: 'x', kind: 'c' }, '[Kind]'],
    [{ user_name: 'x', inner: [] }, 'Inner of type object'],
    [[], 'body of type object'],
    ['null', '[UserName]'],
    [{ user_name: 'x', due: '' }, '(Due)'],
    [{ user_name: 'x', due: '2026-02-30T00:00:00Z' }, '(Due)'],
    ['{"user_name": "x"', 'unexpected EOF'],
    ['{user_name}', 'invalid JSON'],
    ['', '[UserName]'],
  ])('%j is refused with a text that names the field', (value, text) => {
    expect(() => json(value)).toThrow(
      expect.objectContaining({ kind: 'invalid', message: expect.stringContaining(text) }),
    )
  })

  it('that are null are empty', () => {
    expect(compileDecoder(Type.Object({ name: Type.Optional(Type.String()) })).json('null')).toEqual({})
  })

  it('accept texts that look like fractions, and integers next to them', () => {
    expect(json('{"user_name":"x","tags":["a: 1.0",", 5e3"],"count":-7}')).toEqual({
      user_name: 'x',
      tags: ['a: 1.0', ', 5e3'],
      count: -7,
    })
  })

  it('end after the first value', () => {
    expect(json('{"user_name":"x","count":3} 1.0')).toEqual({ user_name: 'x', count: 3 })
    expect(json('{"user_name":"}\\"]"}{')).toEqual({ user_name: '}"]' })
    expect(json('{"user_name":"x"} trailing')).toEqual({ user_name: 'x' })
  })

  it('never reach what objects inherit', () => {
    const read = json('{"user_name":"x","__proto__":{"flag":true},"constructor":1}') as object
    expect(read).toEqual({ user_name: 'x' })
    expect('flag' in read).toBe(false)
    expect(({} as { flag?: unknown }).flag).toBeUndefined()
  })

  it('name the bound of a text, a list and a map that is too long', () => {
    const bounded = compileDecoder(
      Type.Object({
        name: Type.Optional(Type.String({ maxLength: 3 })),
        tags: Type.Optional(Type.Array(Type.String(), { maxItems: 2 })),
        map: Type.Optional(Type.Record(Type.String(), Type.String(), { maxProperties: 2 })),
      }),
    )
    const refusal = (value: object): unknown => {
      try {
        return bounded.json(JSON.stringify(value))
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(refusal({ name: 'four' })).toBe('[Name]: MaxSize (at most 3 characters)')
    expect(refusal({ name: '😀😀😀' })).toEqual({ name: '😀😀😀' })
    expect(refusal({ name: '😀😀😀😀' })).toBe('[Name]: MaxSize (at most 3 characters)')
    expect(refusal({ tags: ['a', 'b'] })).toEqual({ tags: ['a', 'b'] })
    expect(refusal({ tags: ['a', 'b', null] })).toBe('[Tags]: MaxSize (at most 2 items)')
    expect(refusal({ map: { a: '', b: '' } })).toEqual({ map: { a: '', b: '' } })
    expect(refusal({ map: { a: '', b: '', c: '' } })).toBe('[Map]: MaxSize (at most 2 items)')
    expect(refusal({ map: { ['k'.repeat(256)]: '' } })).toBe('[Map]: MaxSize (at most 255 characters)')
  })

  it('name the bounds of a number that is outside of them', () => {
    const Bounded = Type.Object({
      line: Type.Optional(Type.Integer({ minimum: 0, maximum: 9 })),
      last: Type.Optional(Type.Integer({ maximum: 9 })),
      first: Type.Optional(Type.Integer({ minimum: 1 })),
    })
    const read = (body: object): unknown => compileDecoder(Bounded).json(JSON.stringify(body))
    expect(read({ line: 0, last: -9, first: 1e9 })).toEqual({ line: 0, last: -9, first: 1e9 })
    expect(() => read({ line: -1 })).toThrow('[Line]: Range (0 to 9)')
    expect(() => read({ line: 10 })).toThrow('[Line]: Range (0 to 9)')
    expect(() => read({ last: 10 })).toThrow('[Last]: Range (at most 9)')
    expect(() => read({ first: 0 })).toThrow('[First]: Range (at least 1)')
  })

  it('however broken, are read or refused, never a fault', () => {
    const check = (work: () => unknown): void => {
      try {
        work()
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
      }
    }
    // NOTE: the strings of fast-check with all characters take seconds to prepare, and have no lone surrogates.
    const text = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units))
    fc.assert(fc.property(text, (given) => check(() => decoder.json(given))))
    fc.assert(fc.property(fc.json(), (text) => check(() => decoder.json(text))))
    const member = fc.dictionary(fc.constantFrom(...Object.keys(Option.properties)), fc.anything({ maxDepth: 2 }))
    fc.assert(fc.property(member, (value) => check(() => decoder.json(JSON.stringify(value)))))
    check(() => decoder.json(`${'['.repeat(200_000)}`))
    check(() => decoder.json(`{"inner":${'{"inner":'.repeat(50_000)}1${'}'.repeat(50_000)}}`))
  })
})

describe('query strings and forms', () => {
  it('are read leniently', () => {
    expect(decoder.fields({ user_name: 'x', count: '12', flag: 'TRUE', tags: ['a', 'b'] })).toEqual({
      user_name: 'x',
      count: 12,
      flag: true,
      tags: ['a', 'b'],
    })
    expect(decoder.fields({ user_name: ['x', 'y'], count: 'many', flag: 'maybe', tags: 'one', kind: '' })).toEqual({
      user_name: 'x',
      count: 0,
      flag: false,
      tags: ['one'],
    })
  })

  it('refuse invalid numbers if the schema is strict', () => {
    const Ids = Type.Object({ ids: Type.Optional(Type.Array(Type.Integer({ 'x-strict': true }))) })
    const { fields } = compileDecoder(Ids)
    expect([fields({ ids: ['1', '', '2'] }), fields({ ids: '' })]).toEqual([{ ids: [1, 2] }, {}])
    expect(() => fields({ ids: ['1', 'x'] })).toThrow('cannot unmarshal string into field Ids')
  })

  it('still name a required member', () => {
    expect(() => decoder.fields({ user_name: '' })).toThrow('[UserName]')
  })
})
